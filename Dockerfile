# The images of all services, a target for each: docker build --target vaults --tag castellan-vaults .
# The release workflow sets BASE_IMAGE to a digest; see docs/operations/images.md.
ARG BASE_IMAGE=node:24-slim

# Bundles need the tools of the repository; images need the bundles alone, so the tools leave before the layer is kept.
FROM ${BASE_IMAGE} AS build
WORKDIR /build
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier && \
    for service in gateway auth vaults analytics users ai validator-node; do \
      node tools/bundle/main.ts "$service" "/bundles/$service" || exit 1; \
    done && \
    (cd web && NODE_ENV=production node ../node_modules/vite/bin/vite.js build --logLevel warn) && \
    mv web/dist /bundles/web && \
    node docs/site/src/main.ts && mv docs/site/dist /bundles/docs && rm -rf node_modules

# What all images have in common. Files belong to root, so the user of the service can change none of them.
FROM ${BASE_IMAGE} AS service
ARG VERSION=0.0.0-local
ARG COMMIT=unknown
LABEL org.opencontainers.image.title=castellan \
      org.opencontainers.image.licenses=Apache-2.0 \
      org.opencontainers.image.version=${VERSION} \
      org.opencontainers.image.revision=${COMMIT}
ENV NODE_ENV=production \
    CASTELLAN_VERSION=${VERSION} \
    CASTELLAN_COMMIT=${COMMIT}
WORKDIR /app
USER node
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=6 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.MONITORING_PORT + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]

FROM service AS auth
COPY --from=build /bundles/auth ./
ENV MONITORING_PORT=9102
EXPOSE 9102
CMD ["node", "--import", "./packages/service-kit/src/tracing-preload.js", "services/auth/src/main.js"]

# The keeper is this image too, with a command of its own.
FROM service AS vaults
COPY --from=build /bundles/vaults ./
ENV MONITORING_PORT=9103
EXPOSE 9103
CMD ["node", "--import", "./packages/service-kit/src/tracing-preload.js", "services/vaults/src/main.js"]

FROM service AS analytics
COPY --from=build /bundles/analytics ./
ENV MONITORING_PORT=9104
EXPOSE 9104
CMD ["node", "--import", "./packages/service-kit/src/tracing-preload.js", "services/analytics/src/main.js"]

FROM service AS users
COPY --from=build /bundles/users ./
ENV MONITORING_PORT=9105
EXPOSE 9105
CMD ["node", "--import", "./packages/service-kit/src/tracing-preload.js", "services/users/src/main.js"]

FROM service AS ai
COPY --from=build /bundles/ai ./
ENV MONITORING_PORT=9106
EXPOSE 8081 9106
CMD ["node", "--import", "./packages/service-kit/src/tracing-preload.js", "services/ai/src/main.js"]

FROM service AS validator-node
COPY --from=build /bundles/validator-node ./
# A new volume takes owner and mode from here; the node refuses a folder of keys that others may enter.
USER root
RUN install -d -m 700 -o node -g node /keys
USER node
VOLUME /keys
# The health port of its configuration file.
ENV MONITORING_PORT=9290
EXPOSE 9190 9290
ENTRYPOINT ["node", "--import", "./packages/service-kit/src/tracing-preload.js", "services/validator-node/bin/castellan-validator.js"]
CMD ["run", "--config", "/config/config.toml"]

FROM service AS gateway
COPY --from=build /bundles/gateway ./
COPY --from=build /bundles/web ./web/dist
COPY --from=build /bundles/docs ./docs/site/dist
ENV WEB_DIST=/app/web/dist DOCS_DIST=/app/docs/site/dist MONITORING_PORT=9101
EXPOSE 8080 9101
CMD ["node", "--import", "./packages/service-kit/src/tracing-preload.js", "services/gateway/src/main.js"]
