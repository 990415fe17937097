import assert from 'node:assert/strict'
import { exactly, header, json, rows, type Scenario } from './scenario.js'

/** Custom resources with the commands for built-in ones. */
export const custom: readonly Scenario[] = [
  {
    name: 'custom definition',
    alone: true,
    steps: [
      {
        run: 'apply -f definition.yaml',
        out: 'customresourcedefinition.apiextensions.k8s.io/widgets.example.com created',
      },
      { run: 'wait --for=condition=Established crd/widgets.example.com --timeout=20s', out: 'condition met' },
      { run: 'get crd widgets.example.com', out: rows(['widgets.example.com']) },
      { run: 'describe crd widgets.example.com', out: [/Kind: +Widget/, 'NoConflicts', 'InitialNamesAccepted'] },
      { run: 'api-resources --api-group=example.com', out: /^widgets +wd +example\.com\/v1 +true +Widget$/m },
      { run: 'get widgets', ok: true, err: 'No resources found' },
      { run: 'explain widget', out: [/^KIND: +Widget$/m, 'A widget is a thing.', 'What is wanted.'] },
      { run: 'explain widget.spec.size', out: 'How big it is.' },
      { run: 'explain widget --recursive', out: ['colour', 'conditions', 'ports'] },
      { run: 'explain widget --api-version=example.com/v1beta1', out: /^VERSION: +(example\.com\/)?v1beta1$/m },
      { run: 'explain widget.nothing', err: 'field "nothing" does not exist' },
    ],
  },
  {
    name: 'custom reading',
    steps: [
      { run: 'create -f widget.yaml', out: 'widget.example.com/cog created' },
      { run: 'create -f widget.yaml', err: 'widgets.example.com "cog" already exists' },
      { run: 'get wd', out: [header('NAME', 'SIZE', 'AGE'), rows(['cog', '3'])] },
      { run: 'get widgets -o wide', out: [header('NAME', 'SIZE', 'COLOUR', 'AGE'), rows(['cog', '3', 'red'])] },
      { run: 'get toys', out: 'cog' },
      { run: 'get all', out: 'widget.example.com/cog' },
      {
        run: 'get wd cog -o json',
        out: json({
          apiVersion: 'example.com/v1',
          spec: { size: 3, colour: 'red', replicas: 1 },
          metadata: { generation: 1 },
        }),
      },
      {
        run: 'get widgets.v1beta1.example.com cog -o json',
        ok: true,
        out: json({ apiVersion: 'example.com/v1beta1', spec: { size: 3 } }),
      },
      {
        run: 'get widgets.v1beta1.example.com cog',
        ok: true,
        err: 'Warning: example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget',
      },
      { run: 'get wd -l app=cog -o name', out: exactly('widget.example.com/cog') },
      { run: 'get wd -A --field-selector metadata.name=cog --no-headers', out: 'cog' },
      { run: 'get wd --field-selector spec.size=3', err: 'field label not supported: spec.size' },
      { run: 'get wd -w', until: (text) => /cog .*\n/.test(text), out: /cog +3/ },
      { run: 'describe wd cog', out: [/^Name: +cog$/m, /Size: +3/] },
    ],
  },
  {
    name: 'custom writing',
    steps: [
      { run: 'apply -f widget.yaml', out: 'widget.example.com/cog created' },
      { run: 'apply -f widget.yaml', out: 'widget.example.com/cog unchanged' },
      {
        run: 'create -f widget-invalid.yaml',
        err: [
          'spec.size: Invalid value: 30: spec.size in body should be less than or equal to 10',
          'spec.colour: Unsupported value: "pink": supported values: "red", "green", "blue"',
        ],
      },
      { run: 'create -f widget-unknown.yaml', err: /unknown field "(spec\.)?bogus"/ },
      { run: 'create -f widget-unknown.yaml --validate=false' },
      { run: "get wd odd -o jsonpath='{.spec.bogus}'", out: exactly('') },
      { run: 'apply --server-side --force-conflicts -f widget.yaml', out: 'serverside-applied' },
      { run: `patch wd cog --type=merge -p '{"spec":{"size":5}}'`, out: 'patched' },
      {
        run: `patch wd cog --type=json -p '[{"op":"add","path":"/spec/ports/-","value":{"name":"https","port":443}}]'`,
        out: 'patched',
      },
      {
        run: `patch wd cog -p '{"spec":{"size":5}}'`,
        err: /application\/strategic-merge-patch\+json is not supported|unknown format|accepted media types/,
      },
      { run: `patch wd cog --type=merge -p '{"spec":{"size":50}}'`, err: 'should be less than or equal to 10' },
      { run: 'get wd cog -o json', out: json({ spec: { size: 5, ports: [{ name: 'http' }, { name: 'https' }] } }) },
      {
        run: `patch wd cog --subresource=status --type=merge -p '{"status":{"phase":"Ready"},"spec":{"size":9}}'`,
        since: 27,
        out: 'patched',
      },
      { run: 'get wd cog -o json', since: 27, out: json({ spec: { size: 5 }, status: { phase: 'Ready' } }) },
      { run: "wait --for=jsonpath='{.status.phase}'=Ready wd/cog --timeout=10s", since: 27, out: 'condition met' },
      { run: 'scale wd/cog --replicas=4', out: 'widget.example.com/cog scaled' },
      { run: "get wd cog -o jsonpath='{.spec.replicas}'", out: exactly('4') },
      { run: 'label wd cog tint=dark', out: 'labeled' },
      { run: 'annotate wd cog note=x', out: 'annotate' },
      { run: 'replace -f widget.yaml', out: 'replaced' },
      { run: 'edit wd cog', environment: { KUBE_EDITOR: './edit-size' }, out: 'widget.example.com/cog edited' },
      { run: "get wd cog -o jsonpath='{.spec.size}'", out: exactly('4') },
      { run: 'edit wd cog', environment: { KUBE_EDITOR: './edit-badly' }, err: 'widgets.example.com "cog" is invalid' },
      { run: 'diff -f widget.yaml', ok: false, out: (text) => assert.match(text, /size: 3/) },
      { run: 'delete wd cog', out: 'widget.example.com "cog" deleted' },
      { run: 'delete wd --all', out: 'widget.example.com "odd" deleted' },
    ],
  },
  {
    name: 'custom removal',
    alone: true,
    steps: [
      { run: 'create -f gadgets.yaml' },
      { run: 'wait --for=condition=Established crd/gadgets.example.com --timeout=20s' },
      { run: 'create -f gadget.yaml', out: 'gadget.example.com/cog created' },
      {
        run: 'delete -f gadgets.yaml',
        out: 'customresourcedefinition.apiextensions.k8s.io "gadgets.example.com" deleted',
      },
      {
        run: 'get gadgets',
        err: /the server (could not find the requested resource|doesn't have a resource type "gadgets")/,
      },
    ],
  },
]
