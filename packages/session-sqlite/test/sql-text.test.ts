import { describe, expect, test } from "vitest";
import { scriptProblem, statementProblem } from "../src/sql-text.ts";

describe("a statement", () => {
  test.each([
    "COMMIT",
    ";;  ; end",
    "\uFEFF/* ; */ -- ;\n savepoint a",
    "REPLACE INTO a VALUES (1); rollback",
    "INSERT OR ROLLBACK INTO a VALUES (1)",
    "CREATE TABLE a (x UNIQUE ON CONFLICT ROLLBACK)",
    "vacuum",
  ])("that leaves the transaction is a problem: %s", (sql) => {
    expect(statementProblem(sql)).toMatch(/store/);
  });

  test.each([
    "SELECT 'rollback', \"rollback\", `rollback`, [rollback] -- rollback",
    "SELECT commit_count FROM a /* ; COMMIT */",
    "WITH begin_at AS (SELECT 1) SELECT * FROM begin_at",
    "SELECT ';' AS x, 'it''s; COMMIT'",
  ])("that only speaks of it is none: %s", (sql) => {
    expect(statementProblem(sql)).toBeUndefined();
  });
});

describe("a statement that changes the store's own", () => {
  test.each([
    "UPDATE session SET rev = 0",
    'update or ignore main."session" set rev = 0',
    "WITH a AS (SELECT 1) INSERT INTO [outbox] (session) SELECT 1",
    "DELETE FROM fork_op WHERE id = ?",
    "REPLACE INTO member VALUES (1)",
    "DROP TABLE IF EXISTS message",
    "ALTER TABLE blob ADD COLUMN x",
    "CREATE INDEX app_i ON span (lo)",
    "CREATE TRIGGER app_t AFTER INSERT ON write_id BEGIN SELECT 1; END",
  ])("is a problem: %s", (sql) => expect(statementProblem(sql)).toMatch(/store's own/));

  test.each([
    "SELECT * FROM session JOIN app_a USING (key)",
    "UPDATE app_session SET n = 1",
    "INSERT INTO sessions_a SELECT id FROM session ON CONFLICT (id) DO UPDATE SET n = 1",
    "INSERT INTO app_a VALUES ('delete from session') -- drop table session",
    "CREATE INDEX app_i ON app_a (n)",
  ])("is told from one that only reads it: %s", (sql) => expect(statementProblem(sql)).toBeUndefined());
});

describe("a migration", () => {
  test.each([
    "CREATE TABLE app_a (id TEXT REFERENCES app_b (id) ON DELETE CASCADE ON UPDATE SET NULL)",
    "CREATE TRIGGER app_t AFTER UPDATE OF x ON app_a BEGIN UPDATE app_a SET n = CASE WHEN n THEN 1 END; END; DROP TABLE app_b",
    "INSERT INTO app_a (id) SELECT id FROM message ON CONFLICT DO UPDATE SET n = 1",
    "INSERT INTO main.app_a VALUES ('x; COMMIT'); DELETE FROM \"app_a\"",
  ])("inside its namespace passes: %s", (sql) => {
    expect(scriptProblem(sql, "app")).toBeUndefined();
  });

  test.each([
    "CREATE TRIGGER app_t AFTER INSERT ON app_a BEGIN SELECT RAISE(ROLLBACK, 'no'); END",
    "CREATE TRIGGER app_t AFTER INSERT ON app_a BEGIN SELECT 1; END; COMMIT",
    "CREATE TRIGGER app_t AFTER INSERT ON message BEGIN DELETE FROM message; END",
    "CREATE TEMPORARY VIEW session AS SELECT 1",
    "UPDATE OR IGNORE session SET rev = 0",
    "REPLACE INTO [session] VALUES (1)",
    "ATTACH ':memory:' AS app_x",
  ])("that leaves it is a problem: %s", (sql) => {
    expect(scriptProblem(sql, "app")).toBeTypeOf("string");
  });
});
