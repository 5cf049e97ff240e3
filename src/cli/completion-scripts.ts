// What teaches a shell to complete this command. Each asks `cloudemu --complete`, with the words up to the cursor, for
// lines of a word and, after a tab, what it means; where there is none, the shell completes file names as usual.

export const completionScripts = {
  // As old as the 3.2 of macOS.
  bash: {
    use: `in ~/.bashrc: eval "$(cloudemu completion bash)"`,
    script: `_cloudemu() {
  local IFS=$'\\n' line
  COMPREPLY=()
  for line in $(cloudemu --complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done
}
complete -o bashdefault -o default -F _cloudemu cloudemu`,
  },
  zsh: {
    use: `in ~/.zshrc, after compinit: eval "$(cloudemu completion zsh)"`,
    script: `#compdef cloudemu
_cloudemu() {
  local line
  local -a found
  for line in "\${(@f)$(cloudemu --complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line//:/\\\\:}/$'\\t'/:}")
  done
  if (( $#found )); then _describe cloudemu found; else _default; fi
}
if [[ $funcstack[1] == _cloudemu ]]; then _cloudemu "$@"; else compdef _cloudemu cloudemu; fi`,
  },
  fish: {
    use: 'in ~/.config/fish/config.fish: cloudemu completion fish | source',
    script: `function __cloudemu
    set -l found (cloudemu --complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c cloudemu -f -a '(__cloudemu)'`,
  },
} as const;

export type Shell = keyof typeof completionScripts;
