import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startApiServer } from '@orrery/apiserver'
import type { ApiObject, JsonObject, JsonValue, Kind } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { ensureCrds } from '@orrery/kube/write'
import { KUBEVIRT_CRDS, VirtualMachine, VirtualMachineInstance } from '@orrery/node/kubevirt'
import { namespace, startVmServer } from '../kubevirt/vm-cluster.js'
import { afterwards, temporaryDirectory } from '../support/server.js'
import { OCM_BIN } from './ocm.js'

const PROGRAM = join(OCM_BIN, 'kubevirt-client')
const SAMPLES = join(OCM_BIN, 'kubevirt-samples')
const skip =
  existsSync(PROGRAM) && existsSync(SAMPLES)
    ? false
    : 'kubevirt-client is not built: see tools/interop/prepare-kubevirt.mjs'

/** The steps of the program, in tests/clients/go/kubevirt. */
const STEPS = [
  'create',
  'list',
  'start and watch',
  'instance',
  'guest information',
  'pause and unpause',
  'reboot, reset and freeze',
  'refusals',
  'restart',
  'stop',
  'data volume',
  'delete',
]

test("interop: KubeVirt's client library manages virtual machines of an embedded cluster", { skip }, async (t) => {
  const { server } = await startVmServer(t, { listens: true })
  const kubeconfig = join(await temporaryDirectory(t), 'kubeconfig')
  await writeFile(kubeconfig, await server.kubeconfig('cluster'))
  const { stdout } = await promisify(execFile)(PROGRAM, ['-kubeconfig', kubeconfig], { timeout: 300_000 })
  assert.deepEqual(
    stdout.trim().split('\n'),
    STEPS.map((step) => `ok: ${step}`),
  )
})

/**
 * Makes a sample an object that a cluster can store. The samples have a value for every field, also such that no cluster
 * accepts: numbers beyond 64 bits, and text for statuses of conditions.
 */
function storable(value: JsonValue, key = ''): JsonValue {
  if (Array.isArray(value)) return value.map((item) => storable(item, key))
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value as JsonObject).map(([name, one]) => [name, storable(one, name)]))
  }
  if (typeof value === 'number') return 1
  return key === 'status' && value === 'statusValue' ? 'True' : value
}

type SampleKind = Kind<ApiObject & { readonly spec?: object; readonly status?: object }, object>
const SAMPLE_KINDS: readonly SampleKind[] = [VirtualMachine, VirtualMachineInstance]

for (const kind of SAMPLE_KINDS) {
  test(`interop: the samples of KubeVirt's API for ${kind.kind} are stored with all fields`, { skip }, async (t) => {
    const server = await startApiServer({ host: false })
    afterwards(t, () => server.close())
    const client = server.client()
    await ensureCrds(client, KUBEVIRT_CRDS, { fieldManager: 'test' })
    const files = readdirSync(SAMPLES).filter((name) => name.endsWith(`.${kind.kind}.json`))
    assert.ok(files.length > 0)
    for (const file of files) {
      const { spec, status } = storable(JSON.parse(readFileSync(join(SAMPLES, file), 'utf8'))) as JsonObject
      const metadata = { namespace, name: 'sample' }
      const created = await client.create(kind, { metadata, spec, status }, { fieldValidation: 'Strict' })
      assert.deepEqual(created.spec, spec, file)
      // A VirtualMachine has its status in a subresource.
      const patched = kind === VirtualMachine ? { subresource: 'status' } : {}
      await client.patch(kind, metadata, { status }, { fieldValidation: 'Strict', ...patched })
      const read = await client.get(kind, metadata)
      assert.deepEqual([read.spec, read.status], [spec, status], file)
      await client.delete(kind, metadata)
    }
  })
}
