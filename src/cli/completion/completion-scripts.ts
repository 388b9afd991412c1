import { FILES } from './completions.js';

export type Shell = 'bash' | 'zsh' | 'fish';

/** Ids may contain colons. Without bash-completion, bash splits words at them. */
const BASH = `# bash completion of waystation
_waystation() {
  local cur words cword value about
  if declare -F _get_comp_words_by_ref > /dev/null; then
    _get_comp_words_by_ref -n =: cur words cword
  else
    words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD cur=\${COMP_WORDS[COMP_CWORD]}
  fi
  COMPREPLY=()
  while IFS=$'\\t' read -r value about; do
    if [[ $value == ${FILES} ]]; then
      compopt -o default 2> /dev/null
      return
    fi
    COMPREPLY+=("$(printf %q "$value")")
  done < <("\${words[0]}" __complete -- "\${words[@]:1:cword}" 2> /dev/null)
  if declare -F __ltrim_colon_completions > /dev/null; then __ltrim_colon_completions "$cur"; fi
}
complete -F _waystation waystation`;

const ZSH = `#compdef waystation
_waystation() {
  local line
  local -a lines values
  lines=("\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2> /dev/null)}")
  if [[ "\${lines[1]}" == '${FILES}' ]]; then
    _files
    return
  fi
  for line in "\${lines[@]}"; do
    if [[ -z "$line" ]]; then continue; fi
    if [[ "$line" == *$'\\t'* ]]; then
      values+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    else
      values+=("\${line//:/\\\\:}")
    fi
  done
  _describe waystation values
}
if [[ "\${funcstack[1]}" == _waystation ]]; then
  _waystation "$@"
else
  compdef _waystation waystation
fi`;

const FISH = `# fish completion of waystation
function __waystation_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l found ($words[1] __complete -- $words[2..-1] "$current" 2> /dev/null)
  if test "$found[1]" = '${FILES}'
    __fish_complete_path "$current"
    return
  end
  printf '%s\\n' $found
end
complete -c waystation -f -a '(__waystation_complete)'`;

/** The script for a shell. It calls this program at each press of Tab, so it always matches the installed version. */
export function completionScript(shell: Shell): string {
  return { bash: BASH, zsh: ZSH, fish: FISH }[shell];
}
