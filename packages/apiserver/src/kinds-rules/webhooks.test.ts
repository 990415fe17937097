import test from 'node:test'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import { QUALIFIED, refuses, SUBDOMAIN } from './testing.fixture.js'

function configuration(kind: string, clientConfig: JsonObject): KubeObject {
  const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }]
  const webhook = { name: 'a.b.c', sideEffects: 'None', admissionReviewVersions: ['v1'], clientConfig, rules }
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: 'h' },
    webhooks: [webhook],
  }
}

const VALIDATING_WEBHOOK_CONFIGURATION = configuration('ValidatingWebhookConfiguration', { url: 'https://x/y' })

test("ValidatingWebhookConfiguration: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(VALIDATING_WEBHOOK_CONFIGURATION, [
    [
      'webhooks[0].name',
      'a',
      'webhooks[0].name: Invalid value: "a": should be a domain with at least three segments separated by dots',
    ],
    ['webhooks[0].name', '', 'webhooks[0].name: Required value'],
    ['webhooks[0].name', 'A.b.c', `webhooks[0].name: Invalid value: "A.b.c": ${SUBDOMAIN}`],
    [
      'webhooks[0].sideEffects',
      undefined,
      'webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun',
    ],
    [
      'webhooks[0].sideEffects',
      'Some',
      'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
    ],
    [
      'webhooks[0].admissionReviewVersions',
      [],
      'webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1',
    ],
    [
      'webhooks[0].admissionReviewVersions',
      ['v9'],
      'webhooks[0].admissionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1',
    ],
    [
      'webhooks[0].admissionReviewVersions',
      ['v1', 'v1'],
      'webhooks[0].admissionReviewVersions[1]: Invalid value: "v1": duplicate version',
    ],
    [
      'webhooks[0].timeoutSeconds',
      50,
      'webhooks[0].timeoutSeconds: Invalid value: 50: the timeout value must be between 1 and 30 seconds',
    ],
    [
      'webhooks[0].failurePolicy',
      'Foo',
      'webhooks[0].failurePolicy: Unsupported value: "Foo": supported values: "Fail", "Ignore"',
    ],
    [
      'webhooks[0].matchPolicy',
      'Foo',
      'webhooks[0].matchPolicy: Unsupported value: "Foo": supported values: "Equivalent", "Exact"',
    ],
    [
      'webhooks[0].clientConfig',
      {},
      'webhooks[0].clientConfig: Required value: exactly one of url or service is required',
    ],
    [
      'webhooks[0].clientConfig',
      { url: 'http://x' },
      `webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
    ],
    [
      'webhooks[0].clientConfig',
      { url: 'https://u:p@x/?a=b#c' },
      [
        'webhooks[0].clientConfig.url: Invalid value: "u:p": user information is not permitted in the URL',
        'webhooks[0].clientConfig.url: Invalid value: "c": fragments are not permitted in the URL',
        'webhooks[0].clientConfig.url: Invalid value: "a=b": query parameters are not permitted in the URL',
      ],
    ],
    [
      'webhooks[0].clientConfig',
      { url: 'https:///x' },
      'webhooks[0].clientConfig.url: Invalid value: "": host must be specified; desired format: https://host[/path]',
    ],
    [
      'webhooks[0].clientConfig',
      { url: 'foo' },
      [
        `webhooks[0].clientConfig.url: Invalid value: "": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
        'webhooks[0].clientConfig.url: Invalid value: "": host must be specified; desired format: https://host[/path]',
      ],
    ],
    [
      'webhooks[0].clientConfig',
      { service: { name: '', namespace: 'n', path: 'x//y' } },
      [
        'webhooks[0].clientConfig.service.namespace: Required value',
        `webhooks[0].clientConfig.service.path: Invalid value: "x//y": must start with a '/'`,
        'webhooks[0].clientConfig.service.path: Invalid value: "x//y": segment[0] may not be empty',
        'webhooks[0].clientConfig.service.path: Invalid value: "x//y": segment[1] may not be empty',
      ],
    ],
    [
      'webhooks[0].clientConfig',
      { service: { name: 's', namespace: 'n', port: 0 } },
      'webhooks[0].clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
    ],
    ['webhooks[0].rules[0].operations', [], 'webhooks[0].rules[0].operations: Required value'],
    [
      'webhooks[0].rules[0].operations',
      ['Foo'],
      'webhooks[0].rules[0].operations[0]: Unsupported value: "Foo": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
    ],
    [
      'webhooks[0].rules[0].operations',
      ['*', 'CREATE'],
      `webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`,
    ],
    [
      'webhooks[0].rules[0].apiGroups',
      ['*', 'x'],
      `webhooks[0].rules[0].apiGroups: Invalid value: ["*","x"]: if '*' is present, must not specify other API groups`,
    ],
    ['webhooks[0].rules[0].apiGroups', [], 'webhooks[0].rules[0].apiGroups: Required value'],
    [
      'webhooks[0].rules[0].apiVersions',
      ['', '*'],
      [
        `webhooks[0].rules[0].apiVersions: Invalid value: ["","*"]: if '*' is present, must not specify other API versions`,
        'webhooks[0].rules[0].apiVersions[0]: Required value',
      ],
    ],
    [
      'webhooks[0].rules[0].resources',
      ['*', 'pods'],
      `webhooks[0].rules[0].resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources`,
    ],
    [
      'webhooks[0].rules[0].resources',
      ['pods/*', 'pods/x', '*/x', 'a/x'],
      [
        `webhooks[0].rules[0].resources[1]: Invalid value: "pods/x": if 'pods/*' is present, must not specify pods/x`,
        `webhooks[0].rules[0].resources[3]: Invalid value: "a/x": if '*/x' is present, must not specify a/x`,
      ],
    ],
    [
      'webhooks[0].rules[0].resources',
      ['*/*', 'x'],
      `webhooks[0].rules[0].resources: Invalid value: ["*/*","x"]: if '*/*' is present, must not specify other resources`,
    ],
    [
      'webhooks[0].rules[0].scope',
      'Foo',
      'webhooks[0].rules[0].scope: Unsupported value: "Foo": supported values: "*", "Cluster", "Namespaced"',
    ],
    [
      'webhooks[0].objectSelector',
      { matchLabels: { 'a b': 'c' } },
      `webhooks[0].objectSelector.matchLabels: Invalid value: "a b": ${QUALIFIED}`,
    ],
    [
      'webhooks[0].matchConditions',
      [{ name: '', expression: '' }],
      [
        'webhooks[0].matchConditions[0].expression: Required value',
        'webhooks[0].matchConditions[0].name: Required value',
      ],
    ],
  ])
})

const MUTATING_WEBHOOK_CONFIGURATION = configuration('MutatingWebhookConfiguration', {
  service: { name: 's', namespace: 'n' },
})

test("MutatingWebhookConfiguration: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(MUTATING_WEBHOOK_CONFIGURATION, [
    [
      'webhooks[0].reinvocationPolicy',
      'Foo',
      'webhooks[0].reinvocationPolicy: Unsupported value: "Foo": supported values: "IfNeeded", "Never"',
    ],
  ])
})
