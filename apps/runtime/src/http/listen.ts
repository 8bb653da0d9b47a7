import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { StartError } from "../config/start-error.ts";
import { canonicalHost, type ServerAddress } from "./server-address.ts";

/** How long a client may take, in milliseconds, and how many may come. */
export interface ConnectionLimits {
  /** For the headers of a request, counted from the connection's start or the request's. */
  readonly headersMs: number;
  /** For a whole request, its body included. */
  readonly requestMs: number;
  /** For the next request of a connection. */
  readonly idleMs: number;
  /** For any progress of an answer that is being sent. */
  readonly sendMs: number;
  /** How often these are looked at. */
  readonly checkMs: number;
  readonly maxConnections: number;
}

/** The limits of a server. */
export const connectionLimits: ConnectionLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 5000,
  sendMs: 30_000,
  checkMs: 1000,
  maxConnections: 256,
};

/** Most bytes of a request's line and headers together. */
const MAX_HEADER_BYTES = 16 * 1024;

/** What a connection's request is given to. */
export type HttpListener = (request: IncomingMessage, response: ServerResponse) => void;

/** Makes a server; it listens to nothing yet. */
export function makeServer(listener: HttpListener, limits: ConnectionLimits): Server {
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: limits.checkMs,
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
      requireHostHeader: false,
    },
    listener,
  );
  server.maxConnections = limits.maxConnections;
  // None is dropped silently: the guard counts them.
  server.maxHeadersCount = 0;
  return server.on("checkContinue", listener);
}

/** Begins to listen; answers where. @throws StartError `server` */
export function listen(server: Server, { host, port }: ServerAddress): Promise<ServerAddress> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(startRefusal(error, { host, port }));
    server.once("error", fail);
    server.listen({ host, port, exclusive: true }, () => {
      server.off("error", fail);
      resolve({ host, port: (server.address() as AddressInfo).port });
    });
  });
}

/** Why a server cannot listen, and what to do. */
export function startRefusal(error: NodeJS.ErrnoException, { host, port }: ServerAddress): StartError {
  const where = `${canonicalHost(host)}:${port}`;
  return new StartError("server", [`cannot listen at ${where}: ${whyNot(error)}`], error);
}

function whyNot({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case "EADDRINUSE":
      return "another program does; give another port, or 0 for one that is free";
    case "EADDRNOTAVAIL":
    case "EAFNOSUPPORT":
    case "EINVAL":
      return "this machine has no such address; give 127.0.0.1, or one that it has";
    case "EACCES":
    case "EPERM":
      return "this user may not use that port; give one from 1024 on, or 0 for one that is free";
    default:
      return message;
  }
}
