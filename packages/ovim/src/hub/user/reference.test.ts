import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { UserApiOptions } from './context.js'
import { USER_PREFIX, userRoutes } from './user-api.js'

const page = readFileSync(new URL('../../../../../docs/reference/ovim-hub.md', import.meta.url), 'utf8')

test('docs/reference/ovim-hub.md: lists every path for users', () => {
  const informer = { addIndex: () => undefined }
  const client = { withFieldManager: () => client }
  const routes = userRoutes({ client, informers: { of: () => informer } } as unknown as UserApiOptions)
  const [, section = ''] = page.split('## API for users')
  const cells = (section.split('\n## ')[0] ?? '').split('\n').flatMap((row) => /^\| (`\/.*?) \|/.exec(row)?.[1] ?? [])
  const documented = cells.flatMap((cell) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => `${USER_PREFIX}${path}`),
  )
  assert.deepEqual([...new Set(documented)].sort(), routes.map(({ path }) => path).sort())
})
