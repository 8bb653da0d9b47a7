// Windows is not run here: what is asked of it is checked on a fake of its commands.
import { describe, expect, it } from "vitest";
import { posixGroups, windowsTrees } from "../../src/process/group-signals.ts";
import { ProcessGroup } from "../../src/process/process-group.ts";

const fake = () => {
  const asked: (readonly string[])[] = [];
  const start = (file: string, args: readonly string[]): void => void asked.push(["start", file, ...args]);
  const runNow = (file: string, args: readonly string[]): void => void asked.push(["run", file, ...args]);
  return { asked, signals: windowsTrees("C:\\WINNT", { start, runNow }) };
};
const taskkill = ["C:\\WINNT\\System32\\taskkill.exe", "/T", "/F", "/PID", "42"];

describe("on Windows a child's tree", () => {
  it("is ended by taskkill, at once while this process exits", () => {
    const { asked, signals } = fake();
    const group = new ProcessGroup(42, signals);
    group.kill("SIGTERM");
    group.kill("SIGKILL");
    group.killNow();
    group.end();
    expect(asked).toEqual([
      ["start", ...taskkill],
      ["start", ...taskkill],
      ["run", ...taskkill],
    ]);
  });

  it("is left alone once the child has ended: its number may be somebody else's", () => {
    const { asked, signals } = fake();
    const group = new ProcessGroup(42, signals);
    group.end();
    group.kill("SIGKILL");
    group.killNow();
    expect(asked).toEqual([]);
  });
});

describe("a group", () => {
  it("that is gone is no error", () => {
    const group = new ProcessGroup(2 ** 22 + 1, posixGroups);
    expect(() => group.kill("SIGTERM")).not.toThrow();
    expect(() => group.end()).not.toThrow();
  });
});
