FROM node:24.21.0-slim AS built
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY console console
COPY embed embed
COPY sdk/package.json sdk/
RUN npm ci --ignore-scripts
COPY scripts/build-programs.ts scripts/
COPY src src
COPY workflows workflows
COPY activities activities
COPY worker worker
RUN npm run console && npm run build --workspace=embed && npm run build:programs

FROM node:24.21.0-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
COPY embed/package.json embed/
COPY sdk/package.json sdk/
RUN npm ci --omit=dev --workspaces=false && rm -rf node_modules/onnxruntime-node/bin/*/win32 node_modules/onnxruntime-node/bin/*/darwin
COPY src src
RUN node src/embedder/main.ts

FROM node:24.21.0-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=packages /app/.data/models .data/models
COPY package.json ./
COPY src src
COPY workflows workflows
COPY activities activities
COPY worker worker
COPY --from=built /app/dist dist
COPY --from=built /app/console/dist console/dist
COPY --from=built /app/embed/dist embed/dist
ENV WORKFLOW_BUNDLE=/app/workflows.js
RUN node worker/bundler.ts $WORKFLOW_BUNDLE
ARG WITH_CHROMIUM=0
RUN if [ "$WITH_CHROMIUM" = 1 ]; then apt-get update && apt-get install -y --no-install-recommends chromium-headless-shell && rm -rf /var/lib/apt/lists/*; fi
# Compiled code of both programs, by the flags that they run with. They load it at each start in place of compiling.
ENV NODE_COMPILE_CACHE=/app/.compile-cache
RUN for program in api worker; do \
      env $(node -p "require('./package.json').scripts.$program") > /dev/null || true; \
    done && test -n "$(ls -A $NODE_COMPILE_CACHE)"
RUN install -d -o node -g node /var/lib/switchboard/media
USER node
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.OPS_PORT || process.env.PORT || 8080}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The api, with the flags of `npm run api`. Migrations run `node src/db/migrate.ts`, the operator `node src/cli/main.ts`.
CMD ["sh", "-c", "exec env $(node -p 'require(`./package.json`).scripts.api')"]
