import { randomInt } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fleetDirectory, readIfThere } from '@orrery/fleet'
import { Command, Option } from 'commander'
import { dataDirectory } from './arguments.js'
import { print } from './shared/print.js'

/** How to connect to a running server whose kubeconfig is not in its data directory. */
interface Reach {
  readonly kubeconfig?: string
}

/** `orrery apiserver backup`: through the running server, else from its data directory. */
export function backupCommand(): Command {
  return new Command('backup')
    .description('Back up all objects to a file, whether the server runs or not.')
    .usage('--data <dir> [options] <file>')
    .argument('<file>', 'file to write')
    .option('--data <dir>', 'data directory of the server (required)')
    .addOption(reachOption())
    .addHelpText('after', '\nExample:\n  orrery apiserver backup --data ./cluster cluster.bak')
    .action(async (file: string, reach: Reach, command: Command) => {
      const directory = dataDirectory(command)
      const target = resolve(file)
      const { BACKUP_PATH, openStore } = await import('@orrery/apiserver')
      await onServerOr(
        directory,
        () => downloadBackup(directory, reach, BACKUP_PATH, target),
        async () => {
          const store = await openStore(directory)
          await store.backup(target).finally(() => store.close())
        },
      )
      print(`wrote ${target}`)
    })
}

/** `orrery apiserver restore`. */
export function restoreCommand(): Command {
  return new Command('restore')
    .description('Create a data directory from a backup.')
    .usage('--data <dir> [options] <file>')
    .argument('<file>', 'backup file')
    .option('--data <dir>', 'data directory to create (required)')
    .option('--force', 'replace existing data')
    .addHelpText('after', '\nExample:\n  orrery apiserver restore --data ./cluster cluster.bak')
    .action(async (file: string, options: { force?: boolean }, command: Command) => {
      const directory = dataDirectory(command)
      const backup = resolve(file)
      if ((await stat(backup)).isDirectory()) throw noBackup(backup)
      const { inspect, restore } = await import('@orrery/apiserver')
      await restore(backup, directory, { force: options.force === true })
      const summary = await inspect(directory)
      print(`restored ${summary.objects} objects into ${directory}`)
      if (!existsSync(join(directory, 'pki'))) {
        print(
          `The directory has no keys. Copy the pki directory of the original server to it before you start the server. ` +
            `Otherwise the server creates new keys, which clients and agents do not trust.`,
        )
      }
    })
}

/** The error for a directory in place of a backup file. */
function noBackup(directory: string): Error {
  return new Error(
    `${directory} is a directory, not a backup: use the file that \`orrery apiserver backup\` wrote. ` +
      'To use a copy of a data directory, start the server with --data',
  )
}

/** `orrery apiserver compact`: through the running server, else in its data directory. */
export function compactCommand(): Command {
  return new Command('compact')
    .description('Discard old revisions and free disk space.')
    .usage('--data <dir> [options]')
    .option('--data <dir>', 'data directory of the server (required)')
    .addOption(reachOption())
    .addHelpText('after', '\nExample:\n  orrery apiserver compact --data ./cluster')
    .action(async (reach: Reach, command: Command) => {
      const directory = dataDirectory(command)
      const { COMPACT_PATH, compactStore } = await import('@orrery/apiserver')
      await onServerOr(
        directory,
        () => call(directory, reach, 'POST', COMPACT_PATH).then(drain),
        () => compactStore(directory),
      )
      print('compacted')
    })
}

function reachOption(): Option {
  return new Option(
    '--kubeconfig <file>',
    'kubeconfig of the running server (default: <dir>/kubeconfig, else the kubeconfig of the fleet)',
  )
}

/** Runs on the data directory, or through the server that has it open. */
async function onServerOr(data: string, viaServer: () => Promise<void>, directly: () => Promise<void>): Promise<void> {
  const { inspect, StoreInUse } = await import('@orrery/apiserver')
  try {
    await inspect(data)
  } catch (error) {
    if (!(error instanceof StoreInUse)) throw error
    return viaServer()
  }
  return directly()
}

async function downloadBackup(data: string, reach: Reach, path: string, target: string): Promise<void> {
  const response = await call(data, reach, 'GET', path)
  const partial = `${target}.partial-${randomInt(2 ** 47)}`
  try {
    await pipeline(response, createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true }))
    await rename(partial, target)
  } finally {
    await rm(partial, { force: true })
  }
}

/** The fields read from a kubeconfig. */
interface Kubeconfig {
  readonly contexts?: readonly { readonly name: string; readonly context?: { cluster: string; user: string } }[]
  readonly clusters?: readonly {
    readonly name: string
    readonly cluster?: { server: string; 'certificate-authority-data': string }
  }[]
  readonly users?: readonly {
    readonly name: string
    readonly user?: { 'client-certificate-data': string; 'client-key-data': string }
  }[]
}

/** The kubeconfig of the server that runs on a data directory: its own, else the one of the fleet that it belongs to. */
async function kubeconfigFor(data: string, reach: Reach) {
  const file = resolve(reach.kubeconfig ?? `${data}/kubeconfig`)
  const own = await readIfThere(file)
  if (own !== undefined) return { file, text: own }
  const part = basename(data)
  const fleet = [dirname(data), dirname(dirname(data))].map((root) => fleetDirectory(root))
  const shared = reach.kubeconfig === undefined ? fleet.find((one) => one.data(part) === data)?.kubeconfig : undefined
  const text = shared === undefined ? undefined : await readIfThere(shared)
  if (shared !== undefined && text !== undefined) return { file: shared, text, context: part }
  throw new Error(
    `a server runs on ${data}, but ${file} does not exist: set --kubeconfig to the kubeconfig of that server`,
  )
}

/** The server of a context, else the first server of the kubeconfig. */
function serverIn({ contexts, clusters, users }: Kubeconfig, context: string | undefined) {
  const named = contexts?.find(({ name }) => name === context)?.context
  if (context !== undefined && named === undefined) return undefined
  const cluster = clusters?.find(({ name }) => named === undefined || name === named.cluster)?.cluster
  const user = users?.find(({ name }) => named === undefined || name === named.user)?.user
  return cluster && user && { cluster, user }
}

/** Calls the server that runs on a data directory, as its administrator. */
async function call(data: string, reach: Reach, method: string, path: string): Promise<IncomingMessage> {
  const { file, text, context } = await kubeconfigFor(data, reach)
  // Loaded on demand, so that a server starts faster.
  const { parse } = await import('yaml')
  const found = serverIn((parse(text) as Kubeconfig | null) ?? {}, context)
  if (found === undefined) throw new Error(`${file} is not a kubeconfig with a server and a client certificate`)
  const { cluster, user } = found
  const pem = (base64: string) => Buffer.from(base64, 'base64')
  const response = await new Promise<IncomingMessage>((fulfil, reject) => {
    request(
      new URL(path, cluster.server),
      {
        method,
        ca: pem(cluster['certificate-authority-data']),
        cert: pem(user['client-certificate-data']),
        key: pem(user['client-key-data']),
      },
      fulfil,
    )
      .on('error', (error) => {
        reject(new Error(`a server runs on ${data}, but is unreachable with ${file}: ${error.message}`))
      })
      .end()
  })
  if (response.statusCode !== 200) {
    throw new Error(
      `the server failed with status ${response.statusCode}: ${await messageIn(response)} (${method} ${path})`,
    )
  }
  return response
}

/** The message of a Status response, else the response body. */
async function messageIn(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  try {
    return String((JSON.parse(text) as { message?: unknown }).message)
  } catch {
    return text
  }
}

async function drain(response: IncomingMessage): Promise<void> {
  for await (const _ of response);
}
