# syntax=docker/dockerfile:1

# The published package, compiled from the sources.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY packages ./packages
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json README.md LICENSE CHANGELOG.md SECURITY.md ./
COPY build ./build
COPY bin ./bin
COPY docs ./docs
COPY policies ./policies
COPY fixtures/datasets ./fixtures/datasets
COPY src ./src
RUN node build/build.mjs

# What it depends on, exactly as locked. Optional packages are needed: the store's native part is one.
# The platform packages that bring a Node for clones are not: the image has its own. What only svcctl runs goes too.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /dependencies
COPY package.json package-lock.json .npmrc ./
COPY packages ./packages
COPY build ./build
RUN npm ci --omit=dev --ignore-scripts \
    && node build/keep-modules.ts \
    && rm -rf node_modules/.bin

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="svc-authorizer" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /dependencies/node_modules ./node_modules
COPY --from=build /build/dist ./
# A file and not variables: a mounted file replaces it, and variables still win over either.
COPY deploy/container.yaml /etc/svc/config.yaml
COPY --chmod=755 deploy/docker-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
RUN ln -s /app/bin/svc-authorizer.cjs /usr/local/bin/svc-authorizer \
    && install -d -o node -g node -m 700 /data
USER node
VOLUME /data
EXPOSE 8000 8001 8002
STOPSIGNAL SIGTERM
# HEALTH_URL says where to look when the service listener has another port or TLS.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
    CMD ["node", "-e", "fetch(process.env.HEALTH_URL || 'http://127.0.0.1:8001/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["run"]
