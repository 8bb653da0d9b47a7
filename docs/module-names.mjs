// A plugin of typedoc's: modules are called as they are imported (`@basis/hooks/ai-sdk`), not by where their source lies.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Converter, ReflectionKind } from "typedoc";

const packages = fileURLToPath(new URL("../packages", import.meta.url));

/** Specifiers by the entry's source without its ending: `hooks/src/ai-sdk/index`. */
const specifiers = new Map(
  readdirSync(packages).flatMap((folder) => {
    const { name, exports } = JSON.parse(readFileSync(join(packages, folder, "package.json"), "utf8"));
    return Object.entries(exports).flatMap(([subpath, { "@basis/source": source }]) =>
      source === undefined
        ? []
        : [[`${folder}/${source.slice(2).replace(/\.ts$/, "")}`, name + subpath.slice(1)]],
    );
  }),
);

/** @param {import("typedoc").Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (_context, reflection) => {
    if (!reflection.kindOf(ReflectionKind.Module)) return;
    const { name } = reflection;
    reflection.name = specifiers.get(name) ?? specifiers.get(`${name}/index`) ?? name;
  });
}
