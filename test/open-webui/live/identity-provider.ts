import { createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";

export const CLIENT = { id: "open-webui", secret: "only-for-this-test" } as const;
const PERSON = { sub: "ada", email: "ada@example.test", name: "Ada", email_verified: true };
/** Open WebUI renews a token that expires within five minutes, so it renews this one each time that it is used. */
const EXPIRES_SECONDS = 60;

export interface IdentityProvider {
  readonly url: string;
  close(): Promise<void>;
}

/** An OpenID provider that signs everyone in as Ada. Its access tokens are `access-1`, `access-2` and so on. */
export const startIdentityProvider = async (): Promise<IdentityProvider> => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = { ...createPublicKey(privateKey).export({ format: "jwk" }), kid: "k", alg: "RS256", use: "sig" };
  let issued = 0;
  let nonce: string | undefined;

  const idToken = (issuer: string): string => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { ...PERSON, iss: issuer, aud: CLIENT.id, iat: now, exp: now + 3600, ...(nonce && { nonce }) };
    const text = [{ alg: "RS256", kid: "k", typ: "JWT" }, claims]
      .map((part) => encoded(JSON.stringify(part)))
      .join(".");
    return `${text}.${encoded(sign("sha256", Buffer.from(text), privateKey))}`;
  };

  const server = createServer((request, response) => {
    const url = `http://${request.headers.host}`;
    const { pathname, searchParams } = new URL(request.url ?? "", url);
    if (pathname === "/.well-known/openid-configuration") json(response, configuration(url));
    else if (pathname === "/keys") json(response, { keys: [key] });
    else if (pathname === "/person") json(response, PERSON);
    else if (pathname === "/sign-in") {
      nonce = searchParams.get("nonce") ?? undefined;
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      back.searchParams.set("code", "code");
      back.searchParams.set("state", searchParams.get("state") ?? "");
      response.writeHead(302, { location: back.href }).end();
    } else
      json(response, {
        access_token: `access-${(issued += 1)}`,
        refresh_token: "refresh",
        id_token: idToken(url),
        token_type: "Bearer",
        expires_in: EXPIRES_SECONDS,
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

const configuration = (url: string) => ({
  issuer: url,
  authorization_endpoint: `${url}/sign-in`,
  token_endpoint: `${url}/token`,
  userinfo_endpoint: `${url}/person`,
  jwks_uri: `${url}/keys`,
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256"],
});

const encoded = (value: string | Buffer): string => Buffer.from(value).toString("base64url");

const json = (response: ServerResponse, value: unknown): void => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
};
