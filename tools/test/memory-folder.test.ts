import { existsSync, mkdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openMemoryFolder } from "../memory-folder.mjs";

const given = process.env["TMPDIR"];
beforeEach(() => void delete process.env["TMPDIR"]);
afterEach(() => {
  if (given === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = given;
});

it("leaves a folder that was given", () => {
  process.env["TMPDIR"] = "/somewhere";
  expect(openMemoryFolder()).toBeUndefined();
  expect(tmpdir()).toBe("/somewhere");
});

it("is where temporary files go until it is removed, and takes away what a killed run left", () => {
  const left = "/dev/shm/basis-tests-4194305-left"; // no process has this number: Linux counts to 2^22
  const folder = openMemoryFolder();
  expect(process.env["TMPDIR"]).toBe(folder?.path);
  if (folder === undefined) return; // no such place, or no room in it
  expect(tmpdir()).toBe(folder.path);
  expect(statSync(folder.path).mode & 0o777).toBe(0o711);
  folder.remove();
  expect([existsSync(folder.path), process.env["TMPDIR"]]).toEqual([false, undefined]);
  mkdirSync(left);
  openMemoryFolder()!.remove();
  expect(existsSync(left)).toBe(false);
});
