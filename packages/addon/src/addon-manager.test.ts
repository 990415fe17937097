import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { KubeClient } from '@orrery/kube'
import { AddonManager } from './addon-manager.js'
import type { AgentAddon } from './agent-addon.js'
import { runAddonManager } from './run-addon-manager.js'

const client = new KubeClient({
  request: () => Promise.reject(new Error('no request is expected')),
} as unknown as ConstructorParameters<typeof KubeClient>[0])

const agent = (name: string): AgentAddon => ({ name, manifests: () => [] })

suite('AddonManager', () => {
  const cases: readonly [string, AgentAddon, RegExp][] = [
    ['without a name', agent(''), /^addon name should be set$/],
    ['of the same name', agent('hello'), /^an agent is added for the addon already$/],
    ['whose name is no name of an object', agent('Hello World'), /^addon name "Hello World" is not valid: .*RFC 1123/],
    ['whose name is no value of a label', agent('a'.repeat(64)), /is not valid: must be no more than 63/],
    [
      'whose hooks have no time',
      { ...agent('other'), hookTimeoutSeconds: 0 },
      /^hookTimeoutSeconds of addon "other" must be greater than 0$/,
    ],
  ]
  for (const [what, addon, message] of cases) {
    test(`rejects an agent ${what}`, () => {
      const manager = new AddonManager({ client })
      manager.addAgent(agent('hello'))
      assert.throws(() => manager.addAgent(addon), { message })
    })
  }

  test('does not start without an agent', async () => {
    await assert.rejects(new AddonManager({ client }).start(), { message: /call addAgent before start/ })
    await assert.rejects(runAddonManager({ name: 'test', addons: [] }), { message: /^addons is empty/ })
  })

  test('triggers only add-ons that it has, and only after it has started', () => {
    const manager = new AddonManager({ client })
    manager.addAgent(agent('hello'))
    assert.throws(() => manager.trigger('cluster1', 'other'), { message: /has no add-on "other"/ })
    assert.throws(() => manager.trigger('cluster1', 'hello'), { message: /call start\(\) before trigger/ })
  })

  test('closes without having started', () => new AddonManager({ client }).close())
})
