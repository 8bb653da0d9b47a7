import { describe, expect, test } from "vitest";
import { scriptProblem, statementProblem } from "../src/sql-text.ts";

describe("a statement", () => {
  test.each([
    "SELECT 1",
    "INSERT INTO notes_of VALUES ('COMMIT; ROLLBACK', $1)",
    "-- COMMIT\nSELECT $$ begin $$",
    'UPDATE notes_of SET "end" = $1',
    "SELECT set_config_like(1)",
    "WITH a AS (SELECT 1) SELECT * FROM a FOR UPDATE",
  ])("%j may run", (sql) => expect(statementProblem(sql)).toBeUndefined());

  test.each([
    "COMMIT",
    " ;; /* x */ end",
    "-- x\nRollback",
    "start transaction",
    "SAVEPOINT a",
    "prepare transaction 'x'",
    "SET search_path = public",
    "RESET ALL",
    "LISTEN x",
    "DO $$ BEGIN COMMIT; END $$",
    "CALL ends_it()",
    "SELECT set_config('search_path', 'x', false)",
    "SELECT pg_advisory_lock(1)",
    5 as never,
  ])("%j may not", (sql) => expect(statementProblem(sql)).toEqual(expect.any(String)));
});

describe("a statement that changes the store's own", () => {
  test.each([
    "UPDATE session SET rev = 0",
    'update only "session" set rev = 0',
    "WITH a AS (DELETE FROM basis.outbox RETURNING 1) SELECT * FROM a",
    "INSERT INTO fork_op DEFAULT VALUES",
    "TRUNCATE TABLE message",
    "DROP TABLE IF EXISTS member",
    "CREATE INDEX notes_i ON span (lo)",
  ])("%j may not run", (sql) => expect(statementProblem(sql)).toMatch(/store's own/));

  test.each([
    "SELECT 1 FROM session FOR UPDATE",
    "UPDATE notes_session SET a = 1",
    "INSERT INTO notes_of SELECT id FROM session ON CONFLICT (id) DO UPDATE SET a = 1",
    "CREATE INDEX notes_i ON notes_of (a)",
  ])("%j may", (sql) => expect(statementProblem(sql)).toBeUndefined());
});

describe("a migration of notes", () => {
  test.each([
    "CREATE TABLE notes_of (id text REFERENCES notes_by ON DELETE CASCADE ON UPDATE NO ACTION)",
    "INSERT INTO notes_of VALUES ('into session'); UPDATE notes_of SET a = 1",
    "INSERT INTO notes_of (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET a = 1",
    "CREATE FUNCTION notes_f() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN UPDATE session SET a = 1; END $f$",
    'DELETE FROM "notes_of"; TRUNCATE notes_of',
  ])("%j may run", (sql) => expect(scriptProblem(sql, "notes")).toBeUndefined());

  test.each([
    "UPDATE session SET state = 'ready'",
    "DELETE FROM ONLY message",
    "INSERT INTO other.notes_of VALUES (1)",
    "TRUNCATE TABLE message",
    'INSERT INTO "session" VALUES (1)',
    "CREATE TABLE notes_of (id text); COMMIT",
    "CREATE TEMPORARY TABLE session (id text)",
    "CREATE TABLE notes_of (id text); SET search_path = public",
  ])("%j may not", (sql) => expect(scriptProblem(sql, "notes")).toEqual(expect.any(String)));
});
