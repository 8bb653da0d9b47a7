import { escapeHtml } from "./escape-html.ts";

/** The script and the style of the console, as they were built. */
export interface ConsoleFiles {
  readonly script: string;
  readonly style: string;
}

/** What a page of a log is made of, beside the log. */
export interface ConsoleParts {
  /** What the log is called. */
  readonly name: string;
  readonly files: ConsoleFiles;
  /** SHA-256 of the two files, in base64. */
  readonly digests: ConsoleFiles;
}

/** A page as it stands around the lines of a log. */
export interface ConsoleHtml {
  readonly before: string;
  /** A line as it stands in the page: JSON in which no tag begins and no line of script ends. */
  line(json: string): string;
  readonly after: string;
}

/**
 * A log as one page of HTML that needs nothing else: the console with the events inside. Its policy allows its own
 * script and style alone, by their digests: nothing is loaded and nothing sent. What the log holds is data.
 */
export function consoleHtml({ name, files, digests }: ConsoleParts): ConsoleHtml {
  const style = inElement(files.style, "style");
  const script = inElement(files.script, "script");
  return {
    before: [
      "<!doctype html>",
      '<html lang="en">',
      "<head>",
      '<meta charset="utf-8">',
      `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policyOf(digests))}">`,
      '<meta name="viewport" content="width=device-width">',
      '<meta name="color-scheme" content="light dark">',
      '<meta name="referrer" content="no-referrer">',
      `<title>${escapeHtml(name)}</title>`,
      `<style>${style}</style>`,
      "</head>",
      "<body>",
      `<script type="application/x-ndjson" id="basis-log" data-name="${escapeHtml(name)}">`,
    ].join("\n"),
    line: (json) => `\n${inData(json)}`,
    after: [
      "\n</script>",
      "<noscript><p>This page shows a recorded run, and needs its own script for that.</p></noscript>",
      `<script type="module">${script}</script>`,
      "</body>",
      "</html>\n",
    ].join("\n"),
  };
}

function policyOf({ script, style }: ConsoleFiles): string {
  return [
    "default-src 'none'",
    `script-src 'sha256-${script}'`,
    `style-src 'sha256-${style}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** These characters stand in strings of JSON alone. */
function inData(line: string): string {
  return line.replaceAll(
    /[<\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The own script and style never end their element. */
function inElement(text: string, element: string): string {
  if (text.toLowerCase().includes(`</${element}`) || /<!-{2}/.test(text))
    throw new Error(`the console's ${element} would end its own element`);
  return text;
}
