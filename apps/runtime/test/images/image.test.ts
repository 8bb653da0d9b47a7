import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ImageError, imageOf, imageOfBase64, MAX_IMAGE_BYTES } from "../../src/images/image.ts";
import { imageTypeOf } from "../../src/images/image-type.ts";
import { secrets } from "../../src/secrets/secrets.ts";
import { png } from "../harness/pictures.ts";

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const kinds = [
  ["image/png", png()],
  ["image/jpeg", latin1("\xff\xd8\xff\xe0rest")],
  ["image/gif", latin1("GIF89a rest")],
  ["image/webp", latin1("RIFF\x08\0\0\0WEBPVP8 ")],
] as const;

const codeOf = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof ImageError) return error.code;
    throw error;
  }
  return "taken";
};

describe("an image", () => {
  test.each(kinds)("is %s by its first bytes, whatever it is called", (type, bytes) => {
    expect(imageOf(bytes, "picture.svg")).toEqual({ bytes, mediaType: type, name: "picture.svg" });
  });

  // S38: what may hold a script, or is something else, is no image.
  test.each([
    ["an SVG", "<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>"],
    ["a page", "<!doctype html>"],
    ["half a beginning", "\x89PNG"],
    ["another RIFF file", "RIFF\x10\0\0\0WAVEfmt "],
    ["nothing", ""],
  ])("is not %s", (_name, text) => {
    expect(codeOf(() => imageOf(latin1(text), "picture.png"))).toBe("image_unknown");
  });

  test("that says where it ends is refused before its end, as a provider would in every turn from then on", () => {
    for (const whole of [png("a comment"), kinds[3][1]]) {
      expect(codeOf(() => imageOf(Buffer.concat([whole, latin1("more")])))).toBe("taken");
      for (let length = 12; length < whole.length; length += 1)
        expect(codeOf(() => imageOf(whole.subarray(0, length)))).toBe("image_cut_off");
    }
    const far = latin1("\x89PNG\r\n\x1a\n\xff\xff\xff\xffIHDR0000");
    expect(() => imageOf(far, "far.png")).toThrow("'far.png' is cut off");
  });

  test("is of no kind whose first bytes it does not have", () => {
    const begins = (bytes: Uint8Array): boolean =>
      kinds.some(([, known]) => known.subarray(0, 3).equals(Buffer.from(bytes.subarray(0, 3))));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        fc.pre(!begins(bytes));
        expect(imageTypeOf(bytes)).toBeUndefined();
      }),
    );
  });

  test("has at most so many bytes, is told by name when it has more, and is padded base64 on a wire", () => {
    const large = Buffer.concat([png(), Buffer.alloc(MAX_IMAGE_BYTES)]);
    expect(codeOf(() => imageOf(large, "wall.png"))).toBe("image_too_large");
    expect(() => imageOf(large, "wall.png")).toThrow("'wall.png' has");
    expect(codeOf(() => imageOf(large.subarray(0, MAX_IMAGE_BYTES)))).toBe("taken");
    expect(imageOfBase64(png().toString("base64")).bytes).toEqual(png());
    for (const text of ["AAA", "A A=", "data:image/png;base64,AAAA", "-_=="])
      expect(codeOf(() => imageOfBase64(text))).toBe("image_not_base64");
  });

  test("has no registered secret among its bytes: nothing could be taken out of it", () => {
    secrets.add("canary-in-a-comment", "IMAGE_TOKEN");
    expect(codeOf(() => imageOf(png("it is canary-in-a-comment"), "a.png"))).toBe("image_holds_secret");
    expect(codeOf(() => imageOf(png("harmless")))).toBe("taken");
  });
});
