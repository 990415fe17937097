import { Command } from 'commander'
import { maestroServerCommand } from './maestro/server.js'

/** `orrery maestro`. */
export function maestroCommand(): Command {
  return new Command('maestro')
    .description('Run a Maestro server: ManifestWorks over gRPC and REST, kept in PostgreSQL.')
    .addCommand(maestroServerCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery maestro server                      run a server with an embedded database, on loopback addresses only
  orrery maestro server --help               show how to use PostgreSQL, TLS and access control`,
    )
}
