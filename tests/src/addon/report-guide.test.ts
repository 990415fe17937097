import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { AgentAddon } from '@orrery/addon'
import type { AddonAgent } from '@orrery/addon/agent'
import { AddOnPlacementScore, type ManagedCluster, type ManagedClusterAddOn } from '@orrery/api'
import { Node, Pod, type PolicyRule } from '@orrery/kinds'
import { isForbidden, type KubeClient } from '@orrery/kube'
import { CLUSTER, startReportingAgent } from './report-agent.js'

const PAGE = new URL('../../../docs/tasks/report-to-the-hub.md', import.meta.url)
const BIN = fileURLToPath(new URL('../../../node_modules/.bin/', import.meta.url))

/** What each block of the page exports. */
interface Snippet {
  readonly report: (agent: AddonAgent) => Promise<void>
  readonly healthProber: AgentAddon['healthProber']
  readonly hubRules: readonly PolicyRule[]
  readonly clusterRules: readonly PolicyRule[]
}

/** The blocks in TypeScript by their headings. Their types are checked, as in an add-on of `orrery addon create`. */
async function readSnippets(directory: string): Promise<ReadonlyMap<string, Snippet>> {
  const text = await readFile(PAGE, 'utf8')
  const blocks = [...text.matchAll(/^### ([^\n]+)\n(?:(?!^#).)*?^```ts\n(.*?)^```$/gms)]
  const names = blocks.map(([, title = '']) => title.toLowerCase().replace(' ', '-'))
  for (const [at, [, , code = '']] of blocks.entries()) await writeFile(join(directory, `${names[at]}.ts`), code)
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2023', strict: true, skipLibCheck: true, types: ['node'] },
    ...{ noUncheckedIndexedAccess: true, outDir: 'out', rootDir: '.' },
  }
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  await promisify(execFile)(join(BIN, 'tsc'), ['-p', directory]).catch(({ stdout }: { stdout: string }) => {
    assert.fail(`the blocks do not compile:\n${stdout}`)
  })
  const load = (name: string) => import(pathToFileURL(join(directory, 'out', `${name}.js`)).href) as Promise<Snippet>
  return new Map(await Promise.all(names.map(async (name) => [name, await load(name)] as const)))
}

/** The ways in which reports are written: new, changed by an agent that has restarted, and without their owner. */
async function lifeOf({ report, hubRules, clusterRules }: Snippet, t: Parameters<typeof startReportingAgent>[0]) {
  const { agent, admin } = await startReportingAgent(t, { hubRules, managedRules: clusterRules })
  await report(agent)
  await addPod(admin, 1)
  await report({ ...agent })
  for (const { metadata } of (await admin.list(AddOnPlacementScore, { namespace: CLUSTER })).items) {
    await admin.patch(AddOnPlacementScore, metadata, { metadata: { ownerReferences: null } })
  }
  await addPod(admin, 2)
  await report({ ...agent })
}

/** More pods than any limit, and another node. */
async function addPod(admin: KubeClient, step: number): Promise<void> {
  const spec = { containers: [{ name: 'web', image: 'example.com/web' }] }
  for (let n = 0; n < 60; n++) {
    await admin.create(Pod, { metadata: { namespace: 'default', name: `web-${step}-${n}` }, spec })
  }
  const node = await admin.create(Node, { metadata: { name: `node-${step}` } })
  const nodeInfo = { operatingSystem: `system-${step}` }
  await admin.patch(Node, node.metadata, { status: { nodeInfo } }, { subresource: 'status' })
}

/** The rules without one of their verbs, for each of them. */
function* weaker(rules: readonly PolicyRule[]): Generator<readonly [verb: string, rules: readonly PolicyRule[]]> {
  for (const [at, rule] of rules.entries()) {
    for (const verb of rule.verbs) {
      const verbs = rule.verbs.filter((one) => one !== verb)
      const less = verbs.length === 0 ? rules.toSpliced(at, 1) : rules.with(at, { ...rule, verbs })
      yield [`${verb} ${rule.resources?.join()}`, less]
    }
  }
}

suite('docs/tasks/report-to-the-hub.md', () => {
  let directory: string
  let snippets: ReadonlyMap<string, Snippet>
  before(async () => {
    // Beside this file, from where the blocks find the packages.
    directory = await mkdtemp(fileURLToPath(new URL('snippets-', import.meta.url)))
    snippets = await readSnippets(directory)
  })
  after(() => rm(directory, { recursive: true, force: true }))

  for (const name of ['configmap', 'condition', 'score', 'claim']) {
    test(`the block of ${name} reports with its permissions, and needs each of them`, async (t) => {
      const snippet = snippets.get(name) as Snippet
      await lifeOf(snippet, t)
      const missing = [
        ...[...weaker(snippet.hubRules)].map(([what, hubRules]) => [what, { ...snippet, hubRules }] as const),
        ...[...weaker(snippet.clusterRules)].map(
          ([what, clusterRules]) => [what, { ...snippet, clusterRules }] as const,
        ),
      ]
      for (const [what, less] of missing) {
        await assert.rejects(lifeOf({ ...less, report: snippet.report }, t), isForbidden, what)
      }
    })
  }

  test('the block of work feedback probes without permissions', () => {
    const { healthProber, hubRules, clusterRules } = snippets.get('work-feedback') as Snippet
    assert.deepEqual([hubRules, clusterRules], [[], []])
    assert.equal(healthProber?.type, 'Work')
    const resource = { group: 'apps', resource: 'deployments', name: 'node-report-agent', namespace: 'any' }
    const check = (readyReplicas: number) =>
      healthProber?.type === 'Work' &&
      healthProber.probe?.check(
        [{ resource, values: { readyReplicas: { type: 'Integer', integer: readyReplicas } } }],
        {} as ManagedCluster,
        {} as ManagedClusterAddOn,
      )
    check(1)
    assert.throws(() => check(0), /no replica of node-report-agent is ready/)
  })
})
