# syntax=docker/dockerfile:1
ARG NODE_VERSION=24.18.0

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /app
# The lock file first: the installed packages stay cached while only the code changes.
COPY package.json package-lock.json .npmrc ./
# A dependency of Swagger UI reports each installation to its makers unless it is told not to.
ENV SCARF_ANALYTICS=false
# The workspace in packages/ is the subscribers' library, which the service does not use.
RUN npm ci --no-audit --no-fund --workspaces=false
COPY tsconfig.json nest-cli.json ./
COPY tools/bundle ./tools/bundle
COPY src ./src
# The dashboard's pages show the receivers of this one.
COPY docs/using/verifying-webhooks.md ./docs/using/
COPY web ./web
RUN npm run build:service && npm prune --omit=dev --no-audit --no-fund --workspaces=false

FROM node:${NODE_VERSION}-bookworm-slim
# tini is process 1: it passes SIGTERM on and reaps what an embedded PostgreSQL leaves behind.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends tini \
 && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist/bundle ./dist/bundle
COPY --from=build /app/dist/cli/paybell.js /app/dist/cli/paybell.js.map ./dist/cli/
COPY --from=build /app/dist/dashboard ./dist/dashboard
COPY --from=build /app/dist/database/functions ./dist/database/functions
COPY --from=build /app/dist/main.js /app/dist/main.js.map ./dist/
COPY package.json LICENSE ./
RUN chmod +x dist/cli/paybell.js && ln -s /app/dist/cli/paybell.js /usr/local/bin/paybell
RUN mkdir /data && chown 1000:1000 /data
# The image's user `node`, by number: Kubernetes can tell that a number is not root.
USER 1000:1000
# Only used without DATABASE_URL (embedded PostgreSQL) and for generated secrets.
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "--enable-source-maps", "dist/main.js"]
