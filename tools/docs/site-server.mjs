// The finished site over HTTP on the loopback: browsers treat files as strangers to each other.
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };

/** @param {string} folder @returns {Promise<{ url: string, close(): void }>} */
export async function serveSite(folder) {
  const server = createServer(({ url = "/" }, response) => {
    if (url === "/favicon.ico") return void response.writeHead(204).end(); // asked for by browsers, never by a page
    const path = normalize(decodeURIComponent(new URL(url, "http://site").pathname));
    const file = createReadStream(join(folder, path));
    file.once("error", () => response.writeHead(404).end());
    file.once("open", () => {
      response.writeHead(200, {
        "content-type": types[extname(path)] ?? "text/plain",
        "cache-control": "max-age=60",
      });
      file.pipe(response);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}
