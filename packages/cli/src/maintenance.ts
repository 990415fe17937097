import { createWriteStream } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { BACKUP_PATH, COMPACT_PATH, compactStore, inspect, openStore, restore, StoreInUse } from '@orrery/apiserver'
import { Command } from 'commander'
import { parse } from 'yaml'
import { UsageError } from './failure.js'

/** `orrery apiserver backup`: from a running server when there is one, else from its directory. */
export function backupCommand(): Command {
  return new Command('backup')
    .description('Write a consistent copy of the data to a file, while the server runs or not')
    .argument('<file>', 'file to write')
    .requiredOption('--data <dir>', 'directory of the server')
    .addHelpText('after', '\nExample:\n  orrery apiserver backup --data ./cluster cluster.bak')
    .action(async (file: string, options: { data: string }) => {
      const target = resolve(file)
      await onServerOr(
        options.data,
        () => downloadBackup(options.data, target),
        async () => {
          const store = await openStore(resolve(options.data))
          await store.backup(target).finally(() => store.close())
        },
      )
      process.stdout.write(`wrote ${target}\n`)
    })
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description('Make a data directory from a backup')
    .argument('<file>', 'backup to read')
    .requiredOption('--data <dir>', 'directory to make')
    .option('--force', 'replace the data that is there')
    .addHelpText('after', '\nExample:\n  orrery apiserver restore --data ./cluster cluster.bak')
    .action(async (file: string, options: { data: string; force?: boolean }) => {
      await restore(resolve(file), resolve(options.data), { force: options.force === true })
      const summary = await inspect(resolve(options.data))
      process.stdout.write(`restored ${summary.objects} objects into ${resolve(options.data)}\n`)
    })
}

export function compactCommand(): Command {
  return new Command('compact')
    .description('Drop history that only old watches need, and give space back')
    .requiredOption('--data <dir>', 'directory of the server')
    .addHelpText('after', '\nExample:\n  orrery apiserver compact --data ./cluster')
    .action(async (options: { data: string }) => {
      await onServerOr(
        options.data,
        () => call(options.data, 'POST', COMPACT_PATH).then(drain),
        () => compactStore(resolve(options.data)),
      )
      process.stdout.write('compacted\n')
    })
}

/** Works on the directory itself, or through the server that holds it. */
async function onServerOr(data: string, viaServer: () => Promise<void>, directly: () => Promise<void>): Promise<void> {
  try {
    await inspect(resolve(data))
  } catch (error) {
    if (!(error instanceof StoreInUse)) throw error
    return viaServer()
  }
  return directly()
}

async function downloadBackup(data: string, target: string): Promise<void> {
  const response = await call(data, 'GET', BACKUP_PATH)
  const partial = `${target}.partial-${process.pid}`
  try {
    await pipeline(response, createWriteStream(partial, { mode: 0o600, flush: true }))
    await rename(partial, target)
  } finally {
    await rm(partial, { force: true })
  }
}

interface Kubeconfig {
  clusters: { cluster: { server: string; 'certificate-authority-data': string } }[]
  users: { user: { 'client-certificate-data': string; 'client-key-data': string } }[]
}

/** Calls the server that runs on a data directory, as its administrator. */
async function call(data: string, method: string, path: string): Promise<IncomingMessage> {
  const file = resolve(data, 'kubeconfig')
  const text = await readFile(file, 'utf8').catch(() => {
    throw new UsageError(`a server runs on ${data}, but ${file} is not there to reach it with`)
  })
  const config = parse(text) as Kubeconfig
  const cluster = config.clusters[0]?.cluster
  const user = config.users[0]?.user
  if (cluster === undefined || user === undefined) throw new UsageError(`${file} names no server`)
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
      .on('error', reject)
      .end()
  })
  if (response.statusCode !== 200) {
    await drain(response)
    throw new Error(`the server answered ${response.statusCode} to ${method} ${path}`)
  }
  return response
}

async function drain(response: IncomingMessage): Promise<void> {
  for await (const _ of response);
}
