import { Command, Option } from 'commander'

/** Commands of clusteradm that orrery does not have, with their replacements. */
const INSTEAD: Readonly<Record<string, string>> = {
  clean:
    'run `orrery down` to stop a local fleet, then delete its directory; for a hub on an existing cluster, see docs/tasks/remove-a-hub.md',
  upgrade: 'stop the hub or the agent, install the new version of Orrery, and start it again',
  version: 'run `orrery --version`',
}

/** Hidden commands that print the replacement of a clusteradm command. */
export function clusteradmCommands(): Command[] {
  return Object.entries(INSTEAD).map(([name, instead]) => {
    const command = new Command(name).allowUnknownOption().allowExcessArguments()
    return command.action(() => command.error(`error: unknown command '${name}' of clusteradm: ${instead}`))
  })
}

/**
 * Adds hidden options that print the replacement of a clusteradm option. An option without advice is accepted: it is the
 * default behaviour.
 */
export function knowFromClusteradm(command: Command, instead: Readonly<Record<string, string | undefined>>): Command {
  for (const [flags, advice] of Object.entries(instead)) {
    const option = new Option(flags).hideHelp()
    command.addOption(option)
    if (advice === undefined) continue
    command.on(`option:${option.name()}`, () => {
      command.error(`error: unsupported option '${option.long}' of clusteradm: ${advice}`)
    })
  }
  return command
}
