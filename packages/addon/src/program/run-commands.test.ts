import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseControllerFlags } from './controller-flags.js'
import { runCommands } from './run-commands.js'
import { UsageError } from './usage-error.js'

async function run(...args: string[]): Promise<[number, ...string[]]> {
  const lines: string[] = []
  const commands = {
    agent: async (rest: readonly string[]) => void lines.push(`agent ${rest.join(' ')}`),
    fail: () => Promise.reject(new Error('no connection')),
    misuse: () => Promise.reject(new UsageError('--name is required')),
  }
  const code = await runCommands('hello', commands, { args, write: (line) => lines.push(line) })
  return [code, ...lines]
}

test('runCommands: runs the command with its arguments, and returns the exit code', async () => {
  assert.deepEqual(await run('agent', '--a=b', 'c'), [0, 'agent --a=b c'])
  assert.deepEqual(await run('fail'), [1, 'hello: no connection'])
  assert.deepEqual(await run('misuse'), [2, 'hello: --name is required'])
  assert.deepEqual(await run(), [2, 'hello: unknown command "": run hello agent|fail|misuse'])
  assert.deepEqual(await run('constructor'), [2, 'hello: unknown command "constructor": run hello agent|fail|misuse'])
})

test('parseControllerFlags: reads the flags of upstream controllers', () => {
  assert.deepEqual(parseControllerFlags([], {}), {})
  const args = ['--kubeconfig', 'k', '--enable-leader-election', '--component-namespace=ns']
  assert.deepEqual(parseControllerFlags(args, {}), { cluster: 'k', election: { namespace: 'ns' } })
  assert.deepEqual(parseControllerFlags(['--enable-leader-election'], { POD_NAMESPACE: 'p' }), {
    election: { namespace: 'p' },
  })
  assert.throws(() => parseControllerFlags(['--enable-leader-election'], {}), /needs --component-namespace/)
  assert.throws(
    () => parseControllerFlags(['--election'], {}),
    /Unknown option '--election': the flags are --kubeconfig/,
  )
})
