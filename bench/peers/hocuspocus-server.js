import { Server } from "@hocuspocus/server";

// Hocuspocus as it comes, without storage.
const server = new Server({ address: "127.0.0.1", port: 0, quiet: true });
await server.listen();
process.stdout.write(`${server.webSocketURL}\n`);
