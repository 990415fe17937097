import test from 'node:test'
import { POD } from '../samples.fixture.js'
import { LABEL, refuses, SUBDOMAIN } from '../testing.fixture.js'

test("Pod: refuses invalid volumes with kube-apiserver's messages", () => {
  refuses(POD, [
    ['spec.volumes', [{ name: 'V_', emptyDir: {} }], `spec.volumes[0].name: Invalid value: "V_": ${LABEL}`],
    [
      'spec.volumes',
      [
        { name: 'v', emptyDir: {} },
        { name: 'v', emptyDir: {} },
      ],
      'spec.volumes[1].name: Duplicate value: "v"',
    ],
    [
      'spec.volumes',
      [{ name: 'v', emptyDir: {}, hostPath: { path: '/x' } }],
      'spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type',
    ],
    [
      'spec.volumes',
      [{ name: 'v', hostPath: { path: '/a/../b' } }],
      `spec.volumes[0].hostPath.path: Invalid value: "/a/../b": must not contain '..'`,
    ],
    [
      'spec.volumes',
      [{ name: 'v', hostPath: { path: '/a', type: 'Foo' } }],
      'spec.volumes[0].hostPath.type: Unsupported value: "Foo": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
    ],
    ['spec.volumes', [{ name: 'v', secret: {} }], 'spec.volumes[0].secret.secretName: Required value'],
    [
      'spec.volumes',
      [{ name: 'v', secret: { secretName: 's', items: [{ key: '', path: '/x' }], defaultMode: 1000 } }],
      [
        'spec.volumes[0].secret.defaultMode: Invalid value: 1000: must be a number between 0 and 0777 (octal), both inclusive',
        'spec.volumes[0].secret.items[0].key: Required value',
        'spec.volumes[0].secret.items[0].path: Invalid value: "/x": must be a relative path',
      ],
    ],
    [
      'spec.volumes',
      [{ name: 'v', configMap: { name: 's', items: [{ key: 'k', path: '../x' }] } }],
      `spec.volumes[0].configMap.items[0].path: Invalid value: "../x": must not contain '..'`,
    ],
    [
      'spec.volumes',
      [{ name: 'v', persistentVolumeClaim: {} }],
      'spec.volumes[0].persistentVolumeClaim.claimName: Required value',
    ],
    [
      'spec.volumes',
      [{ name: 'v', projected: { sources: [{ secret: { name: 'a' }, configMap: { name: 'b' } }] } }],
      'spec.volumes[0].projected.sources[0]: Forbidden: may not specify more than 1 volume type per source',
    ],
    [
      'spec.volumes',
      [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3 } }] } }],
      [
        'spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 3: may not specify a duration less than 10 minutes',
        'spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set',
      ],
    ],
    [
      'spec.volumes',
      [{ name: 'v', downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'status.podIP' } }] } }],
      'spec.volumes[0].downwardAPI.fieldRef.fieldPath: Unsupported value: "status.podIP": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
    ],
    [
      'spec.volumes',
      [{ name: 'v', nfs: { path: 'x' } }],
      [
        'spec.volumes[0].nfs.server: Required value',
        'spec.volumes[0].nfs.path: Invalid value: "x": must be an absolute path',
      ],
    ],
    [
      'spec.volumes',
      [{ name: 'v', csi: { driver: 'A_' } }],
      `spec.volumes[0].csi.driver: Invalid value: "A_": ${SUBDOMAIN}`,
    ],
    ['spec.volumes', [{ name: 'v', ephemeral: {} }], 'spec.volumes[0].ephemeral.volumeClaimTemplate: Required value'],
    [
      'spec.volumes',
      [{ name: 'v', emptyDir: { sizeLimit: '-1' } }],
      'spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity',
    ],
  ])
})
