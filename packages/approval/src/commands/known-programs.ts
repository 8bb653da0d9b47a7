import { isGit, isListed, programName } from "./program-facts.ts";

/** Programs that start nothing and write no files, with the words that a rule lets them have. */
const READERS = new Set(
  (
    "cat echo printf ls head tail wc grep egrep fgrep rg sort uniq cut tr true false : pwd test [ sleep date basename " +
    "dirname realpath readlink stat du df diff cmp comm nl rev tac column jq seq id whoami uname fold paste file"
  ).split(" "),
);

/** Programs that start nothing, whatever their words are. */
const OTHERS = new Set(
  (
    "rm rmdir cp mv ln mkdir mkfifo mktemp touch chmod chown chgrp truncate shred sync cd chdir pushd popd dirs which type " +
    "whereis whatis apropos info locate kill pkill pgrep killall ps top free uptime hostname nproc tty clear reset " +
    "gzip gunzip zcat bzip2 bunzip2 bzcat xz unxz xzcat zstd zstdcat lz4 unzip zipinfo 7z 7za unrar base32 base64 basenc " +
    "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum od hexdump strings csplit fmt pr expand " +
    "unexpand tsort join look col users groups logname who last finger ping dig nslookup host ss netstat lsof lsblk lscpu " +
    "dmesg diffstat dos2unix unix2dos getconf locale stty printenv dir vdir factor numfmt expr yes yum dnf apk pacman zypper"
  ).split(" "),
);

/** True for a program that writes no files. */
export function isReader(program: string): boolean {
  return READERS.has(programName(program));
}

/** True for a program of which nothing is known: any of its words may be what it starts. */
export function isStranger(program: string): boolean {
  return !(isReader(program) || OTHERS.has(programName(program)) || isListed(program) || isGit(program));
}
