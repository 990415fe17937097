import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { QUALIFIED, refuses, SUBDOMAIN } from '../testing.fixture.js'

const PERSISTENT_VOLUME_CLAIM: KubeObject = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'v' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
}

test("PersistentVolumeClaim: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(PERSISTENT_VOLUME_CLAIM, [
    ['spec.accessModes', [], 'spec.accessModes: Required value: at least 1 access mode is required'],
    [
      'spec.accessModes',
      ['Foo'],
      'spec.accessModes: Unsupported value: "Foo": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    ],
    [
      'spec.accessModes',
      ['ReadWriteOncePod', 'ReadWriteOnce'],
      'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
    ],
    ['spec.resources', undefined, 'spec.resources[storage]: Required value'],
    ['spec.resources.requests.storage', '0', 'spec.resources[storage]: Invalid value: "0": must be greater than zero'],
    [
      'spec.resources.requests.storage',
      '-1',
      'spec.resources[storage]: Invalid value: "-1": must be greater than zero',
    ],
    ['spec.storageClassName', 'A_', `spec.storageClassName: Invalid value: "A_": ${SUBDOMAIN}`],
    ['spec.volumeMode', 'Foo', 'spec.volumeMode: Unsupported value: "Foo": supported values: "Block", "Filesystem"'],
    ['spec.selector', { matchLabels: { 'a b': 'c' } }, `spec.selector.matchLabels: Invalid value: "a b": ${QUALIFIED}`],
  ])
})

const PERSISTENT_VOLUME: KubeObject = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'v' },
  spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/x' } },
}

test("PersistentVolume: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(PERSISTENT_VOLUME, [
    ['spec.accessModes', [], 'spec.accessModes: Required value'],
    [
      'spec.capacity',
      undefined,
      ['spec.capacity: Required value', 'spec.capacity: Unsupported value: null: supported values: "storage"'],
    ],
    ['spec.capacity', { cpu: '1' }, 'spec.capacity: Unsupported value: {"cpu":"1"}: supported values: "storage"'],
    ['spec.capacity.storage', '0', 'spec.capacity[storage]: Invalid value: "0": must be greater than zero'],
    ['spec.hostPath', undefined, 'spec: Required value: must specify a volume type'],
    ['spec.nfs', { server: 'a', path: '/b' }, 'spec.nfs: Forbidden: may not specify more than 1 volume type'],
    [
      'spec.persistentVolumeReclaimPolicy',
      'Foo',
      'spec.persistentVolumeReclaimPolicy: Unsupported value: "Foo": supported values: "Delete", "Recycle", "Retain"',
    ],
    ['spec.storageClassName', 'A_', `spec.storageClassName: Invalid value: "A_": ${SUBDOMAIN}`],
    ['spec.volumeMode', 'Foo', 'spec.volumeMode: Unsupported value: "Foo": supported values: "Block", "Filesystem"'],
    ['spec.nodeAffinity', {}, 'spec.nodeAffinity.required: Required value: must specify required node constraints'],
    ['spec.hostPath.path', '', 'spec.hostPath.path: Required value'],
  ])
})
