import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { eventually } from '@orrery/kube/testing'
import { CLI, type CommandResult } from '../../support/cli.js'
import { orrery } from '../../support/cli-here.js'
import { afterwards, temporaryDirectory } from '../../support/server.js'
import type { MaestroOfTest } from './servers.js'

const CONFIG = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings, namespace: default }\n'
const WORK = `apiVersion: work.open-cluster-management.io/v1
kind: ManifestWork
metadata: { name: api, namespace: edge, labels: { app: api } }
spec: { workload: { manifests: [{ apiVersion: v1, kind: Namespace, metadata: { name: api } }] } }
`

/** The commands of `orrery maestro`, against any server, without an agent. */
export async function runCommands(
  t: TestContext,
  { rest, sources }: Pick<MaestroOfTest, 'rest' | 'sources'>,
): Promise<void> {
  const directory = await temporaryDirectory(t)
  const [config, work] = [join(directory, 'config.yaml'), join(directory, 'work.yaml')]
  await Promise.all([writeFile(config, CONFIG), writeFile(work, WORK)])
  const server = ['--api-url', rest, '--grpc-url', sources]
  const maestro = (...args: string[]): Promise<CommandResult> => orrery('maestro', ...args, ...server)
  const prints = async (out: RegExp, ...args: string[]) => {
    const result = await maestro(...args)
    assert.deepEqual([result.code, result.errors], [0, ''])
    assert.match(result.out, out)
    return result.out
  }
  const fails = async (code: number, errors: RegExp, ...args: string[]) => {
    const result = await maestro(...args)
    assert.match(result.errors, errors)
    assert.equal(result.code, code)
  }

  await prints(/^consumer edge created\n$/, 'apply', 'consumer', 'edge', '--label', 'region=north')
  await prints(/^consumer edge unchanged\n$/, 'apply', 'consumer', 'edge')
  await prints(/^consumer edge configured\n$/, 'apply', 'consumer', 'edge', '--label', 'tier=gold')
  await prints(/^CONSUMER +LABELS +AGE\nedge +region=north,tier=gold +\d+s\n$/, 'get', 'consumers')
  await prints(/"region": "north"/, 'get', 'consumers', 'edge', '-o', 'json')

  const empty = await maestro('get', 'works', '--consumer', 'edge')
  assert.match(
    empty.errors,
    /^No works of source orrery for consumer edge found on .* `orrery maestro apply works -f <file>`/,
  )
  const unreachable = await orrery('maestro', 'watch', 'works', '--api-url', 'http://127.0.0.1:1', '--grpc-url', 'x:1')
  assert.match(unreachable.errors, /^error: 127\.0\.0\.1:1: connection refused.*\nCheck that the server runs/)
  assert.equal(unreachable.code, 1)
  const isClosed = await orrery('maestro', 'watch', 'works', '--api-url', rest, '--grpc-url', '127.0.0.1:1')
  assert.match(isClosed.errors, /error: .*127\.0\.0\.1:1.*\n(?:.*\n)*.*--grpc-url/)
  assert.equal(isClosed.code, 1)

  const table = watch(t, server)
  const watched = watch(t, [...server, '--selector', 'app', '-o', 'json'])
  await prints(/^work edge\/web created\n$/, 'apply', 'works', '-f', config, '--name', 'web', '--consumer', 'edge')
  await prints(/^work edge\/web unchanged\n$/, 'apply', 'works', '-f', config, '--name', 'web', '--consumer', 'edge')
  await prints(/^work edge\/api created\n$/, 'apply', 'works', '-f', work)
  await writeFile(
    work,
    WORK.replaceAll('name: api }', 'name: other }').replace('name: other, namespace', 'name: api, namespace'),
  )
  await prints(/^work edge\/api configured\n$/, 'apply', 'works', '-f', work)
  await eventually('the watch prints its heading', () => /^Watching works .*\nEVENT +CONSUMER/.test(table()), {
    seen: table,
  })
  const shown = await prints(/^CONSUMER +WORK +APPLIED +AVAILABLE +MANIFESTS +VERSION +DELETING +AGE\n/, 'get', 'works')
  assert.match(shown, /^edge +api +<none> +<none> +0\/1 +2 +False/m)
  assert.match(shown, /^edge +web +<none> +<none> +0\/1 +1 +False/m)
  const selected = await prints(/api/, 'get', 'works', '--consumer', 'edge', '-l', 'app!=web,app')
  assert.doesNotMatch(selected, /web/)
  await prints(
    /^apiVersion: work\.open-cluster-management\.io\/v1\nkind: ManifestWork\n/,
    'get',
    'works',
    'api',
    '--consumer',
    'edge',
    '-o',
    'yaml',
  )
  await prints(/^work edge\/api is being deleted\n$/, 'delete', 'works', 'api', '--consumer', 'edge')
  await prints(/api +<none> +<none> +0\/1 +2 +True/, 'get', 'works')
  await fails(1, /work edge\/api is being deleted: apply it again when it is gone/, 'apply', 'works', '-f', work)
  await eventually('the watch prints the row', () => /^ADDED +edge +api +/m.test(table()), { seen: table })
  await eventually('the watch prints the work', () => /"name":"api"/.test(watched()), { seen: watched })

  await fails(
    1,
    /work edge\/none of source orrery not found: list works with/,
    'delete',
    'works',
    'none',
    '--consumer',
    'edge',
  )
  assert.equal((await maestro('delete', 'works', 'none', '--consumer', 'edge', '--ignore-not-found')).code, 0)
  await fails(
    1,
    /still exists after 1 s: check that the agent .* run `orrery maestro delete consumers edge --force`/,
    'delete',
    'works',
    'api',
    '--consumer',
    'edge',
    '--wait',
    '1',
  )
  const create = /consumer nowhere not found: list .* or create it with `orrery maestro apply consumer nowhere`/
  await fails(1, create, 'get', 'works', '--consumer', 'nowhere')
  await fails(1, create, 'apply', 'works', '-f', config, '--name', 'w', '--consumer', 'nowhere')
  const misspelled = join(directory, 'misspelled.yaml')
  await writeFile(
    misspelled,
    WORK.replace('name: api,', 'name: wrong,').replace('spec: {', 'spec: { deleteOptions: {},'),
  )
  await fails(1, /spec\.deleteOptions: .*unknown field: use .*deleteOption/, 'apply', 'works', '-f', misspelled)
  const orreryRefuses = 'consumer edge has works: list .* --all-sources` .*--force`'
  const maestroRefuses = 'maestro-4: Unable to delete Consumer'
  const withWorks = new RegExp(
    `consumer nowhere not found: list consumers with \`[^\`]*\`\nerror: (?:${orreryRefuses}|${maestroRefuses})`,
  )
  await fails(1, withWorks, 'delete', 'consumers', 'nowhere', 'edge')
  // The works after one that fails are applied and deleted.
  const several = join(directory, 'several.yaml')
  const named = (name: string, consumer: string) =>
    WORK.replace('name: api, namespace: edge', `name: ${name}, namespace: ${consumer}`)
  await writeFile(several, [named('lost', 'nowhere'), named('last', 'edge')].join('---\n'))
  const partly = await maestro('apply', '-f', several)
  assert.match(partly.errors, /^error: consumer nowhere not found/)
  assert.deepEqual([partly.code, partly.out], [1, 'work edge/last created\n'])
  const deleted = await maestro('delete', 'works', 'none', 'last', '--consumer', 'edge')
  assert.match(deleted.errors, /^error: work edge\/none of source orrery not found/)
  assert.deepEqual([deleted.code, deleted.out], [1, 'work edge/last is being deleted\n'])
  await fails(1, /ConfigMap settings is not a ManifestWork: add --name/, 'apply', 'works', '-f', config)
  await fails(1, /api has the namespace edge, but --consumer is other/, 'apply', '-f', work, '--consumer', 'other')
  await fails(2, /too many arguments for 'works'/, 'apply', 'consumerr', 'edge')
  await fails(2, /names of works require '--consumer <name>'/, 'get', 'works', 'web')
  await fails(2, /required option '--consumer <name>'/, 'delete', 'works', 'web')
}

/** Starts `orrery maestro watch works` and returns what it has printed so far. */
function watch(t: TestContext, args: readonly string[]): () => string {
  const child = spawn(process.execPath, [CLI, 'maestro', 'watch', 'works', ...args])
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let out = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
  }
  afterwards(t, async () => {
    child.kill('SIGINT')
    assert.equal(await ended, 0, out)
  })
  return () => out
}
