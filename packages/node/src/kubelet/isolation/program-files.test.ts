import assert from 'node:assert/strict'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { programFiles } from './program-files.js'

/** Creates a home directory with a project, a tool and the data directory of a fleet. */
async function madeHome(t: TestContext): Promise<string> {
  const home = await mkdtemp(join(await realpath(tmpdir()), 'orrery-home-'))
  t.after(() => rm(home, { recursive: true }))
  const files = ['project/package.json', 'project/dist/server.js', 'scripts/run.js', 'tools/v1/bin/tool', 'loose.js']
  for (const file of [...files, '.orrery/fleet/loose.js', '.orrery/fleet/hub.key']) {
    await mkdir(dirname(join(home, file)), { recursive: true })
    await writeFile(join(home, file), '')
  }
  await symlink('project', join(home, 'current'))
  return home
}

async function shown(home: string, command: string[], more: Partial<Parameters<typeof programFiles>[0]> = {}) {
  const options = { home, hidden: [join(home, '.orrery/fleet')], known: ['/usr'] }
  const executables = [join(home, 'tools/v1/bin/tool'), '/usr/bin/env']
  const found = await programFiles({ command, ...more }, executables, options)
  return found.map(({ target }) => target.slice(home.length + 1)).sort()
}

test('programFiles: shows the installation of an executable and the package of a script', async (t) => {
  const home = await madeHome(t)
  assert.deepEqual(await shown(home, ['tool', join(home, 'project/dist/server.js')]), ['project', 'tools/v1'])
  assert.deepEqual(await shown(home, ['tool', join(home, 'scripts/run.js')]), ['scripts', 'tools/v1'])
})

test('programFiles: shows a file alone when its directory is a home or holds files of the fleet', async (t) => {
  const home = await madeHome(t)
  assert.deepEqual(await shown(home, ['tool', join(home, 'loose.js')]), ['loose.js', 'tools/v1'])
  const inFleet = join(home, '.orrery/fleet/loose.js')
  assert.deepEqual(await shown(home, ['tool', inFleet]), ['.orrery/fleet/loose.js', 'tools/v1'])
})

test('programFiles: shows a path and the target of its link', async (t) => {
  const home = await madeHome(t)
  const paths = await shown(home, ['tool', join(home, 'current/dist/server.js')])
  assert.deepEqual(paths, ['current/dist/server.js', 'project', 'tools/v1'])
})

test('programFiles: shows the files that a registration lists and skips missing ones', async (t) => {
  const home = await madeHome(t)
  const files = [join(home, 'scripts'), join(home, 'absent')]
  assert.deepEqual(await shown(home, ['tool', '--flag', '/absent/x.js'], { files }), ['scripts', 'tools/v1'])
})
