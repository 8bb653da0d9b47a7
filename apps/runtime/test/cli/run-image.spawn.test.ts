import { readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MAX_IMAGE_BYTES } from "../../src/images/image.ts";
import { png } from "../harness/pictures.ts";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";

let bench: Bench;
beforeAll(() => {
  bench = new Bench();
  bench.write("dot.png", png("one"));
  bench.write("called.svg", png("two"));
  bench.write("real.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>");
});
afterAll(() => bench.remove());

describe("basis run --image", () => {
  it("shows a model images, keeps them beside the transcript, plays them again and exports them as pictures", async () => {
    const model = bench.script([{ text: "two dots" }]);
    const cassette = join(bench.base, "images.cassette");
    const argv = ["run", "what are these?", "--image", "dot.png", "--image=called.svg"];
    const ended = await bench.run([...argv, "--json", "--model", model, "--record", cassette]);
    expect(ended.code).toBe(0);
    const told = { media_type: "image/png", digest: expect.stringMatching(/^sha256:/) };
    expect(ended.event("user_message").data).toMatchObject({
      text: "what are these?",
      images: [
        { ...told, name: "dot.png" },
        { ...told, name: "called.svg" },
      ],
    });
    const base64 = png("one").toString("base64");
    expect(readFileSync(cassette, "utf8")).not.toContain(base64.slice(0, 40));
    const played = await bench.run([...argv, "--model", `cassette:${cassette}`]);
    expect(played).toMatchObject({ code: 0, stdout: "two dots\n" });
    const { session } = ended.event("user_message");
    const page = await bench.run(["sessions", "export", session, "--html"]);
    expect(page.stdout.match(/<img alt="" src="data:image\/png;base64,/g)).toHaveLength(2);
    expect(page.stdout).toContain(base64);
    expect((await bench.run(["sessions", "show", session])).stdout).toContain("[dot.png] [called.svg]");
  });

  it("refuses what is no image before anything is opened, each file with its reason (2)", async () => {
    bench.write("large.png", png("three"));
    truncateSync(join(bench.workspace, "large.png"), MAX_IMAGE_BYTES + 1);
    const files = ["real.svg", "gone.png", ".", "large.png"].flatMap((file) => ["--image", file]);
    expect(await bench.run(["run", "see", ...files])).toMatchObject(
      refused(
        2,
        "--image real.svg: 'real.svg' is no PNG, JPEG, GIF or WebP",
        "--image gone.png: there is no such file",
        "--image .: it is not a regular file",
        `--image large.png: it has ${MAX_IMAGE_BYTES + 1} bytes; shorten it to ${MAX_IMAGE_BYTES}`,
      ),
    );
    expect(await bench.run(["run", "--queue", "--session", "some", "--image", "dot.png"])).toMatchObject(
      refused(2, "--image goes with a PROMPT"),
    );
    expect(await bench.run(["run", "--session", "some", "--image", "dot.png"])).toMatchObject(
      refused(2, "--image goes with a PROMPT"),
    );
  });
});
