import { connect, createServer } from "node:net";

/** A way to the server that counts how often a client sends something after it has had an answer. */
export async function countingProxy(url) {
  const target = new URL(url);
  const { hostname, port } = target;
  let trips = 0;
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    let answered = true;
    client.on("data", (bytes) => {
      if (answered) trips += 1;
      answered = false;
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      answered = true;
      client.write(bytes);
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ]) {
      one.on("close", () => other.destroy());
      one.on("error", () => other.destroy());
    }
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  target.port = String(proxy.address().port);
  return { url: target.href, roundTrips: () => trips, close: () => proxy.close() };
}
