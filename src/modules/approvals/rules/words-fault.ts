import { trimEndOf } from '../../../common/trim-end.js';

/** Programs that run what their arguments, or files named there, say: after them, `*` could be any program. */
const RUNNERS: ReadonlySet<string> = new Set(
  `
  sh bash zsh dash ksh fish csh tcsh ash busybox cmd powershell pwsh eval exec source . command builtin trap env sudo
  doas su runuser pkexec chroot unshare nsenter setpriv setsid xargs parallel find fd nohup nice ionice chrt taskset
  time timeout watch stdbuf script expect strace ltrace gdb lldb valgrind perf flock at batch crontab screen tmux
  systemd-run start-stop-daemon ssh rsh mosh socat nc ncat telnet docker podman nerdctl kubectl oc lxc vagrant
  ansible node deno bun npx npm pnpm pnpx yarn bunx corepack tsx ts-node nodemon python pypy ipython pip pipx uv uvx
  poetry conda perl ruby irb gem bundle rake php composer lua luajit tclsh rscript r julia java jshell groovy kotlin
  scala dotnet mono osascript guile racket sbcl erl elixir make gmake cmake ninja meson bazel just task gulp grunt
  ant mvn gradle gradlew cargo go rustc awk gawk mawk sed ed ex vi vim nvim emacs less more man psql mysql sqlite3
  git-shell mksh rbash yash elvish nu xonsh toybox coproc sg newgrp proot fakeroot firejail bwrap numactl prlimit
  unbuffer dtach zellij sshpass autossh scp sftp rsync dbus-run-session xvfb-run caffeinate gtimeout gxargs gfind
  wine nodejs pytest tox nox invoke fab scons mix sbt lein clojure stack cabal runghc ghci ocaml swift dart flutter
  zig nim crystal raku octave matlab gnuplot nawk m4 dc view vimdiff rvim mongo mongosh duckdb mariadb cscript
  wscript mshta rundll msbuild wsl start open xdg-open helm terraform watchexec entr direnv nix nix-shell snap
  flatpak apt apt-get brew dpkg rpm yum dnf apk run foreach jest vitest mocha ava cypress playwright rspec
  phpunit nosetests hyperfine pm2 forever pipenv pdm hatch rye jupyter uvicorn gunicorn flask celery sphinx-build
  `
    .trim()
    .split(/\s+/),
);

/** Options whose values may be run. */
const RUNNING_OPTION = new RegExp(
  `^(?:-[a-z]*[cexI]|--?(?:${[
    ...['exec', 'exec-path', 'execdir', 'extcmd', 'eval', 'command', 'run', 'cmd', 'shell', 'rsh', 'config', 'require'],
    ...['import', 'loader', 'plugin', 'pager', 'editor', 'upload-pack', 'receive-pack', 'compress-program'],
    ...['use-compress-program', 'checkpoint-action', 'info-script', 'new-volume-script', 'to-command'],
  ].join('|')}))$`,
);

/** Characters with which a shell could do more than start one program with these words. */
const SHELL_SYNTAX = /[;&|<>()$`\\"'{}!#~?[\]]/;

/** Why `*` in these words could stand for more than a name passed to a program; null if it cannot. */
export function wordsFault(words: readonly string[]): string | null {
  if (words.some((word) => word !== '*' && word.includes('*'))) return '* must stand for a whole word';
  const last = words.lastIndexOf('*');
  if (last === -1) return null;
  const before = words.slice(0, last);
  if (words.some((word) => word !== '*' && SHELL_SYNTAX.test(word)))
    return 'must have nothing that a shell reads beside *';
  if (words[0] === '*' || before.some((word) => /^\w+=/.test(word))) return 'must name the program that it runs';
  const runner = before.find((word) => isRunner(word));
  if (runner !== undefined) return `must not have * behind ${runner}, which runs what it is told`;
  const option = words.find((word, i) => words[i + 1] === '*' && RUNNING_OPTION.test(word));
  return option === undefined ? null : `must not have * behind ${option}, whose value may be run`;
}

function isRunner(word: string): boolean {
  const name = word.slice(word.lastIndexOf('/') + 1).toLowerCase();
  return RUNNERS.has(name) || RUNNERS.has(trimEndOf(name.replace(/\.(?:exe|cmd|bat|sh)$/, ''), '0123456789.-'));
}
