import { Command } from 'commander'
import { maestroApplyCommand } from './maestro/apply.js'
import { maestroDeleteCommand } from './maestro/delete.js'
import { maestroGetCommand } from './maestro/get.js'
import { maestroServerCommand } from './maestro/server.js'
import { maestroWatchCommand } from './maestro/watch.js'

/** `orrery maestro`. */
export function maestroCommand(): Command {
  return new Command('maestro')
    .description('Run or use a Maestro server: ManifestWorks over gRPC and REST, stored in PostgreSQL.')
    .addCommand(maestroServerCommand())
    .addCommand(maestroGetCommand())
    .addCommand(maestroApplyCommand())
    .addCommand(maestroDeleteCommand())
    .addCommand(maestroWatchCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery up --maestro                        run a hub, clusters and a server on this machine: the clusters are consumers
  orrery maestro server                      run a server with an embedded database, on loopback addresses only
  orrery maestro server --help               show how to use PostgreSQL, TLS and access control
  orrery maestro apply consumer us-east-mgmt-01
  orrery maestro apply works -f deployment.yaml --name web --consumer us-east-mgmt-01
  orrery maestro watch works`,
    )
}
