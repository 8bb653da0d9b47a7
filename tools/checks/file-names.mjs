// File names: a file is named after its concept; these words name none.

const empty = new Set(["util", "utils", "helper", "helpers", "common", "misc", "manager", "managers"]);
empty.add("service").add("services");
const sources = /\.([cm]?[jt]sx?|sh)$/;

/** @returns {string[]} */
export function fileNameProblems(workspace) {
  return workspace.files
    .filter((path) => sources.test(path))
    .flatMap((path) => {
      const words = path
        .replace(sources, "")
        .toLowerCase()
        .split(/[/.\-_]/);
      const word = words.find((one) => empty.has(one));
      return word ? [`${path} is named "${word}": name it after its concept`] : [];
    });
}
