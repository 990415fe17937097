import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { QUALIFIED, refuses } from '../testing.fixture.js'

const STORAGE_CLASS: KubeObject = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'h' },
  provisioner: 'a.b/c',
}

test("StorageClass: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(STORAGE_CLASS, [
    ['provisioner', '', 'provisioner: Required value'],
    ['provisioner', 'a b', `provisioner: Invalid value: "a b": ${QUALIFIED}`],
    ['reclaimPolicy', 'Foo', 'reclaimPolicy: Unsupported value: "Foo": supported values: "Delete", "Retain"'],
    [
      'volumeBindingMode',
      'Foo',
      'volumeBindingMode: Unsupported value: "Foo": supported values: "Immediate", "WaitForFirstConsumer"',
    ],
    [
      'allowedTopologies',
      [{ matchLabelExpressions: [{ key: 'a b', values: [] }] }],
      [
        'allowedTopologies[0].matchLabelExpressions[0].values: Required value',
        `allowedTopologies[0].matchLabelExpressions[0].key: Invalid value: "a b": ${QUALIFIED}`,
      ],
    ],
    ['parameters', { '': 'x' }, 'parameters: Invalid value: "": field can not be empty.'],
  ])
})

const CSIDRIVER: KubeObject = { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'h' }, spec: {} }

test("CSIDriver: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(CSIDRIVER, [
    [
      'spec.fsGroupPolicy',
      'Foo',
      'spec.fsGroupPolicy: Unsupported value: "Foo": supported values: "File", "None", "ReadWriteOnceWithFSType"',
    ],
    [
      'spec.volumeLifecycleModes',
      ['Foo'],
      'spec.volumeLifecycleModes: Unsupported value: "Foo": supported values: "Persistent", "Ephemeral"',
    ],
    [
      'spec.tokenRequests',
      [{ audience: 'a', expirationSeconds: 3 }, { audience: 'a' }],
      [
        'spec.tokenRequests[0].expirationSeconds: Invalid value: 3: may not specify a duration less than 10 minutes',
        'spec.tokenRequests[1].audience: Duplicate value: "a"',
      ],
    ],
  ])
})
