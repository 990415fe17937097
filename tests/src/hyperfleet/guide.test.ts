// Compiles what the guide shows, as a reader would.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { ManifestWork, NewManifestWork } from '@orrery/api'
import type { AdapterReport, WatchableWorkClient } from '@orrery/hyperfleet'
import { notFound } from '@orrery/kinds/values'
import { afterwards } from '../support/server.js'

const PAGE = new URL('../../../docs/adapters.md', import.meta.url)
const BIN = fileURLToPath(new URL('../../../node_modules/.bin/', import.meta.url))

interface Snippet {
  readonly reportHostedCluster: (client: WatchableWorkClient, results: string) => Promise<AdapterReport>
}

test('docs/adapters.md: the program compiles, creates its work and writes a report', async (t) => {
  const directory = await mkdtemp(fileURLToPath(new URL('guide-', import.meta.url)))
  afterwards(t, () => rm(directory, { recursive: true, force: true }))
  const [, code = ''] = /^```ts\n(.*?)^```$/ms.exec(await readFile(PAGE, 'utf8')) ?? []
  await writeFile(join(directory, 'adapter.ts'), code)
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2023', strict: true, skipLibCheck: true, types: ['node'] },
    ...{ noUncheckedIndexedAccess: true, outDir: 'out', rootDir: '.' },
  }
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  await promisify(execFile)(join(BIN, 'tsc'), ['-p', directory]).catch(({ stdout }: { stdout: string }) => {
    assert.fail(`the block does not compile:\n${stdout}`)
  })
  const file = pathToFileURL(join(directory, 'out/adapter.js')).href
  const { reportHostedCluster } = (await import(file)) as Snippet

  const created: NewManifestWork[] = []
  const unused = () => assert.fail('the guide does not call this')
  const client: WatchableWorkClient = {
    manifestWorks: (consumer) => ({
      get: async (name) => {
        throw notFound({ group: 'work.open-cluster-management.io', resource: 'manifestworks' }, `${consumer}/${name}`)
      },
      create: async (work) => {
        created.push(work)
        return work as ManifestWork
      },
      list: unused,
      patch: unused,
      delete: unused,
      watch: unused,
    }),
  }
  process.env.MANAGEMENT_CLUSTER_CONSUMER = 'us-east-mgmt-01'
  afterwards(t, () => void delete process.env.MANAGEMENT_CLUSTER_CONSUMER)
  await reportHostedCluster(client, directory)
  assert.deepEqual(
    created.map(({ metadata }) => metadata.namespace),
    ['us-east-mgmt-01'],
  )
  const report = JSON.parse(await readFile(join(directory, 'adapter-report.json'), 'utf8')) as AdapterReport
  assert.deepEqual(
    report.conditions.map(({ type, reason }) => `${type} ${reason}`),
    ['Applied ManifestWorkCreated', 'Available Provisioning', 'Health NoIssues'],
  )
})
