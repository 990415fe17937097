import { resolve } from 'node:path'
import type { ApiServer } from '@orrery/apiserver'
import { writePrivately } from '@orrery/fleet'
import { Command } from 'commander'
import { dataDirectory, hostNames, NEW_STORE, portNumber, wholeSeconds } from './arguments.js'
import { backupCommand, compactCommand, restoreCommand } from './maintenance.js'
import { addLogOptions, type LogOptions, loggerOf } from './shared/logging.js'
import { stopSignal } from './shared/stop-signal.js'
import { explainStart } from './start-failure.js'
import { inWords } from './systemerror.js'

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
/** As kube-controller-manager has it. */
const DEFAULT_NAMESPACE_GRACE = 5

/** `orrery apiserver` and what belongs to it. */
export function apiserverCommand(): Command {
  const command = new Command('apiserver')
    .description('Run an embedded Kubernetes API server')
    .usage('--data <dir> [options]\n       orrery apiserver [command]')
    .option('--data <dir>', 'directory that holds everything; made when missing (required)')
    .option('--port <number>', 'port to listen on; 0 picks a free one', portNumber, DEFAULT_PORT)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--kubeconfig <file>', "where to write the administrator's kubeconfig (default: <dir>/kubeconfig)")
    .option('--san <name...>', 'further host names or addresses for the serving certificate', hostNames)
    .option('--new-store', NEW_STORE)
    .option(
      '--namespace-deletion-grace <seconds>',
      'how long a deleted namespace keeps its contents',
      wholeSeconds,
      DEFAULT_NAMESPACE_GRACE,
    )
    .option('--audit-log <file>', 'append audit events to this file')
    .option('--audit-policy <file>', 'audit.k8s.io/v1 Policy that says what to log; needs --audit-log')
    .addHelpText(
      'after',
      `
Examples:
  orrery apiserver --data ./cluster                  start, or carry on where the last start stopped
  kubectl --kubeconfig ./cluster/kubeconfig get ns   use it
  orrery apiserver --data ./cluster --port 0         on any free port
  orrery apiserver backup --data ./cluster now.bak   a consistent copy, while it runs or not
  orrery apiserver restore --data ./other now.bak    a new directory from a copy`,
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
    command.error("error: option '--audit-policy <file>' needs '--audit-log <file>'")
  }
  const log = loggerOf(options)
  const kubeconfig = resolve(options.kubeconfig ?? `${directory}/kubeconfig`)
  // Whatever is not needed by all commands is loaded by those that need it.
  const { startApiServer } = await import('@orrery/apiserver')
  const server = await startApiServer({
    dataDirectory: directory,
    host: options.host,
    port: options.port,
    namespaceDeletionGraceSeconds: options.namespaceDeletionGrace,
    log,
    newStore: options.newStore === true,
    // Who waits for /readyz reads this file next.
    beforeReady: (ready) =>
      writePrivately(kubeconfig, ready.kubeconfig()).catch((error: unknown) => {
        throw new Error(`the kubeconfig ${kubeconfig} cannot be written: ${inWords(error)}`)
      }),
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
  process.stdout.write(
    [
      `The API server is ready at ${server.url}`,
      '',
      `  export KUBECONFIG=${kubeconfig}`,
      '  kubectl get namespaces',
      '',
      'Ctrl-C stops it; the next start on the same directory carries on.',
      '',
    ].join('\n'),
  )
}
