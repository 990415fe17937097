import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UsageError } from '../program/usage-error.js'
import { parseAgentFlags } from './flags.js'

const needed = ['--hub-kubeconfig=/var/run/hub/kubeconfig', '--cluster-name', 'c1']

test('parseAgentFlags: reads the flags of upstream agents, with defaults', () => {
  assert.deepEqual(parseAgentFlags(needed, 'helloworld'), {
    hubKubeconfig: '/var/run/hub/kubeconfig',
    managedKubeconfig: undefined,
    clusterName: 'c1',
    addonNamespace: 'open-cluster-management-agent-addon',
    addonName: 'helloworld',
    more: {},
  })
  const all = [...needed, '--managed-kubeconfig=m', '--addon-namespace=ns', '--addon-name=other', '--interval=5']
  const flags = parseAgentFlags(all, 'helloworld', { interval: '60', mode: 'fast' })
  assert.deepEqual(
    [flags.managedKubeconfig, flags.addonNamespace, flags.addonName, flags.more],
    ['m', 'ns', 'other', { interval: '5', mode: 'fast' }],
  )
})

test('parseAgentFlags: names the flag that is missing or unknown', () => {
  const refused = (args: string[], said: RegExp) =>
    assert.throws(
      () => parseAgentFlags(args, 'a'),
      (error) => error instanceof UsageError && said.test(error.message),
    )
  refused([], /^--hub-kubeconfig is required: the path of the kubeconfig/)
  refused(['--hub-kubeconfig=x'], /^--cluster-name is required/)
  refused(
    [...needed, '--cluster=c'],
    /Unknown option '--cluster': the flags are --hub-kubeconfig, --managed-kubeconfig/,
  )
  refused([...needed, '--addon-name'], /--addon-name/)
})
