/** Completion scripts: thin, since they ask svcctl itself what may come next, so they never grow old. */

/** The shells for which there is a completion script. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** One of {@link SHELLS}. */
export type Shell = (typeof SHELLS)[number];

/** The script for a shell. */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell];
}

/** `compopt -o default`, where bash has it, lets files be offered when there is nothing else to offer. */
const BASH = `# bash completion for svcctl: source <(svcctl completion bash)
_svcctl() {
  local current ends="" kept="" line sign
  local -a words
  # Bash takes = and : for ends of words; what is between blanks counts here, without backslashes before signs.
  read -a words <<< "\${COMP_LINE:0:COMP_POINT}"
  [[ "\${COMP_LINE:0:COMP_POINT}" == *[[:space:]] ]] && words+=("")
  current="\${words[\${#words[@]}-1]}"
  # What bash keeps of the word is not repeated. An at sign is where the word begins that it replaces.
  for sign in = : @; do
    [[ "$COMP_WORDBREAKS" == *"$sign"* ]] && ends+="$sign"
  done
  [[ "$ends" == "" ]] || kept="\${current%"\${current##*[$ends]}"}"
  kept="\${kept%@}"
  COMPREPLY=()
  while IFS=$'\\t' read -r line _; do
    line="\${line#"$kept"}"
    # What follows a URI that goes on is typed at once.
    [[ "$line" == */ ]] && compopt -o nospace 2>/dev/null
    # Names are others' texts: what they have of the shell's signs must not be run.
    [[ "$line" == "" ]] || COMPREPLY+=("$(printf %q "$line")")
  done < <("\${words[0]}" __complete -- "\${words[@]:1}" 2>/dev/null)
  return 0
}
complete -o default -F _svcctl svcctl
`;

const ZSH = `#compdef svcctl
# zsh completion for svcctl: source <(svcctl completion zsh), or put this file into your $fpath as _svcctl
_svcctl() {
  local word description
  local -a typed found begun
  # Without the signs that quote them; the quote that begins the last word may be open.
  typed=("\${(@Q)words[2,CURRENT]}")
  typed[-1]="\${typed[-1]#[\\"\\']}"
  while IFS=$'\\t' read -r word description; do
    [[ -n "$word" ]] || continue
    # A backslash stands for the sign behind it, and a colon ends the word.
    word="\${\${word//\\\\/\\\\\\\\}//:/\\\\:}:\${description}"
    # What follows a URI that goes on is typed at once.
    if [[ "$word" == */: ]]; then begun+=("$word"); else found+=("$word"); fi
  done < <("\${words[1]}" __complete -- "\${(@)typed}" 2>/dev/null)
  if (( \${#found} + \${#begun} )); then
    _describe 'svcctl' found -- begun -S ''
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == "_svcctl" ]]; then
  _svcctl "$@"
else
  compdef _svcctl svcctl
fi
`;

const FISH = `# fish completion for svcctl: svcctl completion fish | source
function __svcctl_complete
    set -l words (commandline -opc)
    # Without the signs that quote it. In quotes, since a word that has not begun is no argument otherwise.
    set -l current (commandline -ct | string unescape; or commandline -ct)
    $words[1] __complete -- $words[2..-1] "$current" 2>/dev/null
end
complete -c svcctl -a '(__svcctl_complete)'
`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
