import type { Browser } from "playwright-core";

/**
 * How far two pictures are apart, from 0 to 1: both are drawn small and gray, so that fonts of another machine make
 * little difference and a part that is gone or elsewhere makes a big one.
 */
export async function pictureDistance(browser: Browser, one: Buffer, other: Buffer): Promise<number> {
  const urls = [one, other].map((png) => `data:image/png;base64,${png.toString("base64")}`);
  const page = await browser.newPage();
  const distance = await page.evaluate<number>(`(async ([one, other]) => {
    const grays = async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      const [width, height] = [48, 28];
      const context = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
      context.imageSmoothingQuality = "high";
      context.drawImage(image, 0, 0, width, height);
      const { data } = context.getImageData(0, 0, width, height);
      return Array.from({ length: width * height }, (_, at) => (data[4 * at] + data[4 * at + 1] + data[4 * at + 2]) / 765);
    };
    const [a, b] = [await grays(one), await grays(other)];
    return a.reduce((sum, gray, at) => sum + Math.abs(gray - b[at]), 0) / a.length;
  })(${JSON.stringify(urls)})`);
  await page.close();
  return distance;
}
