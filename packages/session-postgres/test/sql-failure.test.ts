import { SessionError } from "@mobkit/session";
import { expect, test } from "vitest";
import { sqlFailure } from "../src/sql-failure.ts";
import { sessionFailure } from "../src/store-failure.ts";

/** An error as the server sends it, or as Node and the driver make it. */
function failure(message: string, code?: string): Error {
  const error = new Error(message);
  return Object.assign(
    error,
    code === undefined ? {} : { code },
    /^\w{5}$/.test(code ?? "") ? { severity: "ERROR" } : {},
  );
}

test.each([
  ["57P01", "lost"],
  ["08006", "lost"],
  ["ECONNRESET", "lost"],
  ["ECONNREFUSED", "unreachable"],
  ["57P03", "unreachable"],
  ["28P01", "refused"],
  ["40P01", "conflict"],
  ["40001", "conflict"],
  ["23505", "duplicate"],
  ["55P03", "waited"],
  ["57014", "waited"],
  ["53300", "waited"],
  ["53100", "full"],
  ["25006", "read_only"],
  ["42P01", "schema_lost"],
  ["XX001", "corrupt"],
  ["22012", "other"],
])("%s means %s", (code, meaning) => expect(sqlFailure(failure("x", code))).toBe(meaning));

test.each([
  ["Connection terminated unexpectedly", "lost"],
  ["Query read timeout", "lost"],
  ["Client has encountered a connection error and is not queryable", "lost"],
  ["timeout exceeded when trying to connect", "waited"],
  ["Connection terminated due to connection timeout", "unreachable"],
  ["timeout expired", "unreachable"],
  ["something else", "other"],
])("the driver's %j means %s", (message, meaning) => expect(sqlFailure(failure(message))).toBe(meaning));

test.each([null, undefined, "text", { code: "57P01" }])("%j is no failure of SQL", (value) =>
  expect(sqlFailure(value)).toBe("other"),
);

test.each([
  ["53100", "store_unavailable", { reason: "full" }],
  ["57P01", "store_unavailable", { reason: "connection_lost" }],
  ["22012", "store_unavailable", { reason: "failed" }],
  ["XX001", "store_corrupt", { reason: "XX001" }],
  ["40P01", "busy", {}],
])("%s reaches the caller as %s", (code, shown, details) => {
  const error = sessionFailure("host:5432/db", { error: failure("x", code), since: performance.now() });
  expect(error).toBeInstanceOf(SessionError);
  expect(error).toMatchObject({ code: shown, details });
});

test("what is no failure of SQL reaches the caller as it is", () => {
  const own = new RangeError("mine");
  expect(sessionFailure("host", { error: own, since: 0 })).toBe(own);
});
