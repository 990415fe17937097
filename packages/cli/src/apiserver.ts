import { resolve } from 'node:path'
import type { ApiServer } from '@orrery/apiserver'
import { writePrivately } from '@orrery/fleet'
import { Command } from 'commander'
import { dataDirectory, hostNames, NEW_STORE, portNumber, wholeSeconds } from './arguments.js'
import { backupCommand, compactCommand, restoreCommand } from './maintenance.js'
import { addLogOptions, type LogOptions, loggerOf } from './shared/logging.js'
import { printText } from './shared/print.js'
import { stopSignal } from './shared/stop-signal.js'
import { explainStart } from './start-failure.js'
import { errorMessage } from './system-error.js'

interface StartOptions extends LogOptions {
  readonly port: number
  readonly host: string
  readonly kubeconfig?: string
  readonly san?: readonly string[]
  readonly namespaceDeletionGrace: number
  readonly auditLog?: string
  readonly auditPolicy?: string
  readonly newStore?: boolean
}

const DEFAULT_PORT = 6443
/** The delay of kube-controller-manager. */
const DEFAULT_NAMESPACE_GRACE = 5

/** `orrery apiserver` and its subcommands. */
export function apiserverCommand(): Command {
  const command = new Command('apiserver')
    .description('Run an embedded Kubernetes API server.')
    .usage('--data <dir> [options]\n       orrery apiserver [command]')
    .option('--data <dir>', 'data directory; created if missing (required)')
    .option('--port <number>', 'port to listen on; 0 picks a free one', portNumber, DEFAULT_PORT)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--kubeconfig <file>', "file to write the administrator's kubeconfig to (default: <dir>/kubeconfig)")
    .option('--san <name...>', 'additional host names or IP addresses of the serving certificate', hostNames)
    .option('--new-store', NEW_STORE)
    .option(
      '--namespace-deletion-grace <seconds>',
      'how long a deleted namespace keeps its contents, in seconds',
      wholeSeconds,
      DEFAULT_NAMESPACE_GRACE,
    )
    .option('--audit-log <file>', 'append audit events to this file')
    .option('--audit-policy <file>', 'audit.k8s.io/v1 Policy file; requires --audit-log')
    .addHelpText(
      'after',
      `
Examples:
  orrery apiserver --data ./cluster                  start a server, or resume with the data in the directory
  kubectl --kubeconfig ./cluster/kubeconfig get ns   use it
  orrery apiserver --data ./cluster --port 0         listen on a free port
  orrery apiserver backup --data ./cluster now.bak   back up the data, whether the server runs or not
  orrery apiserver restore --data ./other now.bak    create a data directory from a backup`,
    )
    .allowExcessArguments()
    .helpCommand(true)
    .action(run)
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(compactCommand())
  return addLogOptions(command)
}

async function run(options: StartOptions, command: Command): Promise<void> {
  const [unknown] = command.args
  if (unknown !== undefined) command.error(`error: unknown command '${unknown}'`)
  const directory = dataDirectory(command)
  if (options.auditPolicy !== undefined && options.auditLog === undefined) {
    command.error("error: option '--audit-policy <file>' requires '--audit-log <file>'")
  }
  const log = loggerOf(options)
  const kubeconfig = resolve(options.kubeconfig ?? `${directory}/kubeconfig`)
  // Loaded on demand, so that other commands start faster.
  const { startApiServer } = await import('@orrery/apiserver')
  const server = await startApiServer({
    dataDirectory: directory,
    host: options.host,
    port: options.port,
    namespaceDeletionGraceSeconds: options.namespaceDeletionGrace,
    log,
    newStore: options.newStore === true,
    // Clients that wait for /readyz read this file next.
    async beforeReady(ready) {
      const text = await ready.kubeconfig()
      await writePrivately(kubeconfig, text).catch((error: unknown) => {
        throw new Error(`cannot write kubeconfig ${kubeconfig}: ${errorMessage(error)}`)
      })
    },
    ...(options.san !== undefined && { hosts: options.san }),
    ...(options.auditLog !== undefined && {
      audit: {
        file: resolve(options.auditLog),
        ...(options.auditPolicy !== undefined && { policyFile: options.auditPolicy }),
      },
    }),
  }).catch((error: unknown) => {
    throw explainStart(error, { host: options.host, port: options.port, dataDirectory: directory })
  })
  try {
    announce(server, kubeconfig)
    await stopSignal()
    log.info('stopping')
  } finally {
    await server.close()
  }
}

function announce(server: ApiServer, kubeconfig: string): void {
  printText(
    [
      `The API server is ready at ${server.url}`,
      '',
      `  export KUBECONFIG=${kubeconfig}`,
      '  kubectl get namespaces',
      '',
      'Stop it with Ctrl-C. The next start with the same directory resumes it.',
      '',
    ].join('\n'),
  )
}
