# docker build -t runcast .
# docker run --init -p 4400:4400 -e RUNCAST_KEY=<a key> -v runcast:/app/data runcast
# See docs/operations.md.
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY web/package.json web/
RUN --mount=type=cache,target=/root/.npm npm install --no-audit --no-fund
COPY . .
RUN npm pack && mv runcast-*.tgz runcast.tgz

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /build/runcast.tgz ./
# redis and pg are for logs that several processes share.
RUN --mount=type=cache,target=/root/.npm \
    npm install --no-audit --no-fund ./runcast.tgz redis pg \
    && rm runcast.tgz \
    && mkdir data && chown node:node data
USER node
# The configuration, .env, the log and the workspace are here.
WORKDIR /app/data
VOLUME /app/data
EXPOSE 4400
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 4400}/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without a shell or npm between them, signals reach the server.
ENTRYPOINT ["node", "/app/node_modules/runcast/dist/cli.js"]
CMD ["serve", "--host", "0.0.0.0"]
