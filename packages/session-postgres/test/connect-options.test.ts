import { expect, test } from "vitest";
import { connectOptions } from "../src/connect-options.ts";

test("what errors name of a server is its host, port and database, and never who comes with which password", () => {
  const { server, schema } = connectOptions(
    "postgres://ann:secret@db.example:6543/agents?sslmode=require",
    {},
  );
  expect([server, schema]).toEqual(["db.example:6543/agents", "agent_sessions"]);
  expect(connectOptions("postgresql:///agents?host=%2Frun%2Fpg", {}).server).toBe("/run/pg:5432/agents");
});

test("a URL that can't be read is refused without being repeated", () => {
  expect(() => connectOptions("postgres://ann:secret@[bad/agents", {})).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining("secret"), code: "invalid_option" }),
  );
});
