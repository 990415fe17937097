import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ContainerRoot } from './container-root.js'

test('ContainerRoot: creates links for mounts and rewrites paths to them', async (t) => {
  const base = await mkdtemp(join(tmpdir(), 'orrery-root-'))
  t.after(() => rm(base, { recursive: true }))
  const volumes = join(base, 'volume')
  const mounts = [
    { name: 'v', mountPath: '/data' },
    { name: 'v', mountPath: '/data-two', subPathExpr: '$(POD)' },
  ]
  const places = new Map([['v', { path: volumes, isReadOnly: false }]])
  const container = { name: 'c', volumeMounts: mounts }
  const root = await ContainerRoot.make(join(base, 'root'), container, places, () => 'p1')
  await writeFile(join(root.place('/data-two'), 'file'), 'x')
  assert.equal(await readFile(join(volumes, 'p1', 'file'), 'utf8'), 'x')
  const at = root.path
  assert.equal(root.rewrite('/data/x'), `${at}/data/x`)
  assert.equal(root.rewrite('--from=/data:/data-two/y,/other'), `--from=${at}/data:${at}/data-two/y,/other`)
  assert.equal(root.rewrite('/database /x/data https://data/'), '/database /x/data https://data/')
  assert.equal(root.place('../../etc/passwd'), `${at}/etc/passwd`)
  assert.equal(root.rewrite('cat </data/x >/data;(ls /data)'), `cat <${at}/data/x >${at}/data;(ls ${at}/data)`)
  assert.equal(root.rewrite('echo bye >/dev/termination-log'), `echo bye >${root.messageFile}`)
})

test('ContainerRoot: supports a volume mounted at /', async (t) => {
  const base = await mkdtemp(join(tmpdir(), 'orrery-root-'))
  t.after(() => rm(base, { recursive: true }))
  await mkdir(join(base, 'v'))
  await writeFile(join(base, 'v/file'), 'x')
  const container = { name: 'c', volumeMounts: [{ name: 'v', mountPath: '/' }] }
  const root = await ContainerRoot.make(
    join(base, 'root'),
    container,
    new Map([['v', { path: join(base, 'v'), isReadOnly: false }]]),
    () => undefined,
  )
  assert.equal(await readFile(root.place('/file'), 'utf8'), 'x')
  assert.equal(root.rewrite('/bin/cat /file'), '/bin/cat /file')
})

test('ContainerRoot: keeps files of a volume when another volume is mounted over it', async (t) => {
  const base = await mkdtemp(join(tmpdir(), 'orrery-root-'))
  t.after(() => rm(base, { recursive: true }))
  await mkdir(join(base, 'a/sub'), { recursive: true })
  await writeFile(join(base, 'a/sub/precious'), 'x')
  const volumeMounts = [
    { name: 'a', mountPath: '/data' },
    { name: 'b', mountPath: '/data/sub' },
  ]
  const places = new Map([
    ['a', { path: join(base, 'a'), isReadOnly: false }],
    ['b', { path: join(base, 'b'), isReadOnly: false }],
  ])
  const making = ContainerRoot.make(join(base, 'root'), { name: 'c', volumeMounts }, places, () => undefined)
  await assert.rejects(making, /mounted at a path that another volume already contains/)
  assert.equal(await readFile(join(base, 'a/sub/precious'), 'utf8'), 'x')
})
