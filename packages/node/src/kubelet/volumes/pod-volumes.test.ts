import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { PersistentVolume, type Pod, type Volume } from '@orrery/kinds'
import { PROVISIONED_BY, PROVISIONER } from '../../workloads/storage/names.js'
import type { VolumeSources } from './payload.js'
import { PodVolumes } from './pod-volumes.js'

async function madeMachine(t: TestContext) {
  const base = await mkdtemp(join(await realpath(tmpdir()), 'orrery-volumes-'))
  t.after(() => rm(base, { recursive: true, force: true }))
  const [keys, persistent, host] = [join(base, 'keys'), join(base, 'persistent'), join(base, 'host')]
  for (const directory of [keys, persistent, host]) await mkdir(directory)
  const volumes = new PodVolumes({ directory: join(base, 'pod'), persistentDirectory: persistent, hostPaths: [host] })
  return { keys, persistent, host, volumes }
}

function placeOf(volumes: PodVolumes, volume: Omit<Volume, 'name'>, persistentVolume?: object): Promise<string> {
  const pod = { metadata: { namespace: 'default', name: 'p' }, spec: { volumes: [{ ...volume, name: 'v' }] } }
  const claim = { spec: { volumeName: 'pv' }, status: { phase: 'Bound' } }
  const sources = { object: async (kind: unknown) => (kind === PersistentVolume ? persistentVolume : claim) }
  const places = volumes.mount(pod as unknown as Pod, sources as unknown as VolumeSources)
  return places.then((all) => all.get('v')?.path ?? '')
}

const CLAIMED = { persistentVolumeClaim: { claimName: 'c' } }
const ofPath = (path: string) => ({ metadata: { name: 'pv' }, spec: { hostPath: { path } } })

test('PodVolumes: does not follow a link of a pod out of the persistent volume directory', async (t) => {
  const { keys, persistent, volumes } = await madeMachine(t)
  await mkdir(join(persistent, 'one/below'), { recursive: true })
  await symlink(keys, join(persistent, 'one/out'))
  await symlink(join(keys, 'absent'), join(persistent, 'one/dangling'))
  for (const path of ['one/out', 'one/out/new', 'one/dangling', 'one/dangling/new']) {
    await assert.rejects(
      placeOf(volumes, CLAIMED, ofPath(join(persistent, path))),
      /does not allow pods to mount/,
      path,
    )
  }
  assert.deepEqual(await readdir(keys), [])
  const below = join(persistent, 'one/below')
  assert.equal(await placeOf(volumes, CLAIMED, ofPath(below)), below)
  assert.equal(await placeOf(volumes, CLAIMED, ofPath(join(persistent, 'two'))), join(persistent, 'two'))
})

test('PodVolumes: does not follow a link in place of a provisioned volume', async (t) => {
  const { keys, persistent, volumes } = await madeMachine(t)
  const provisioned = { metadata: { name: 'pv', annotations: { [PROVISIONED_BY]: PROVISIONER } } }
  await symlink(keys, join(persistent, 'pv'))
  await assert.rejects(placeOf(volumes, CLAIMED, provisioned), /does not allow pods to mount/)
  await rm(join(persistent, 'pv'))
  assert.equal(await placeOf(volumes, CLAIMED, provisioned), join(persistent, 'pv'))
})

test('PodVolumes: creates no hostPath directory behind a link', async (t) => {
  const { keys, host, volumes } = await madeMachine(t)
  await symlink(keys, join(host, 'out'))
  for (const path of ['out', 'out/new', 'out/new/deep']) {
    const hostPath = { path: join(host, path), type: 'DirectoryOrCreate' } as const
    await assert.rejects(placeOf(volumes, { hostPath }), /does not allow pods to mount/, path)
  }
  assert.deepEqual(await readdir(keys), [])
  const hostPath = { path: join(host, 'new/deep'), type: 'DirectoryOrCreate' } as const
  assert.equal(await placeOf(volumes, { hostPath }), hostPath.path)
})
