# The emulator as an image: one executable on the C and C++ libraries, no shell, not root.
FROM node:24.21.0-bookworm AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run package && mkdir data

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /build/dist/cloudemu /usr/bin/cloudemu
COPY --from=build --chown=65532:65532 /build/data /data
# Containers answer below the emulator's own port, the one that other services and the host reach.
ENV CLOUDEMU_HOST=0.0.0.0 CLOUDEMU_DATA_DIR=/data CLOUDEMU_CONTAINERS_URL_STYLE=path
USER 65532
# Also where the executable may put SQLite's library for a moment when the rest is read-only.
WORKDIR /data
VOLUME /data
EXPOSE 4747
HEALTHCHECK --interval=3s --timeout=5s --retries=5 CMD ["cloudemu", "status", "--wait", "--timeout", "2s"]
ENTRYPOINT ["cloudemu"]
CMD ["start"]
