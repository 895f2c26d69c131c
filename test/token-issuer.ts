import http from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { onStop } from "./serving.ts";

/** An identity provider that publishes its key and signs any claims. */
export const startIssuer = async () => {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const otherKeys = await generateKeyPair("ES256");
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: "one", alg: "ES256", use: "sig" }] };
  let isDown = false;
  const server = http.createServer((_, response) => {
    if (isDown) return void response.destroy();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(keys));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onStop(() => server.close().closeAllConnections());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sign = (claims: JWTPayload, key = privateKey) =>
    new SignJWT({ iss: issuer, aud: "runcast", exp: Math.floor(Date.now() / 1000) + 600, ...claims })
      .setProtectedHeader({ alg: "ES256", kid: "one" })
      .sign(key);
  return {
    options: { jwks: `${issuer}/keys`, issuer, audience: "runcast" },
    sign,
    forge: (claims: JWTPayload) => sign(claims, otherKeys.privateKey),
    setDown: (down: boolean) => void (isDown = down),
  };
};
