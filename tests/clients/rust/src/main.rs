//! Exercises an API server with kube-rs and says what it saw, a JSON line a check.

use std::collections::BTreeMap;
use std::error::Error;
use std::future::Future;
use std::time::Duration;

use futures::future::{Either, select};
use futures::{StreamExt, TryStreamExt, pin_mut};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::discovery::{Discovery, Scope};
use kube::runtime::{WatchStreamExt, reflector, wait::await_condition, watcher};
use kube::{Client, ResourceExt};
use serde_json::json;

type Outcome = Result<(), Box<dyn Error>>;

const LIMIT: Duration = Duration::from_secs(40);
const NAMESPACE: &str = "rust";

#[tokio::main]
async fn main() -> Outcome {
    let client = Client::try_default().await?;
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let namespace = Namespace { metadata: named(NAMESPACE), ..Default::default() };
    namespaces.create(&PostParams::default(), &namespace).await?;
    let mut done = 0;
    check(&mut done, "create, read, replace and delete", objects(client.clone())).await;
    check(&mut done, "list by labels and in pages", lists(client.clone())).await;
    check(&mut done, "patches", patches(client.clone())).await;
    check(&mut done, "server-side apply and its conflicts", apply(client.clone())).await;
    check(&mut done, "a watch", watch(client.clone())).await;
    check(&mut done, "a watcher that starts with a list", listing(client.clone(), watcher::Config::default())).await;
    check(&mut done, "a watcher that streams its list", listing(client.clone(), watcher::Config::default().streaming_lists())).await;
    check(&mut done, "a reflector", store(client.clone())).await;
    check(&mut done, "waiting for a condition", condition(client.clone())).await;
    check(&mut done, "discovery and dynamic objects", discovery(client.clone())).await;
    println!("{}", json!({ "done": done }));
    Ok(())
}

async fn check(done: &mut usize, name: &str, run: impl Future<Output = Outcome>) {
    *done += 1;
    let error = match tokio::time::timeout(LIMIT, run).await {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(_) => Some(format!("has not ended after {LIMIT:?}")),
    };
    match error {
        None => println!("{}", json!({ "check": name })),
        Some(error) => println!("{}", json!({ "check": name, "error": error })),
    }
}

/// Fails with what was expected and what was seen.
fn same<T: PartialEq + std::fmt::Debug>(seen: T, expected: T) -> Outcome {
    if seen == expected { Ok(()) } else { Err(format!("got {seen:?}, want {expected:?}").into()) }
}

fn code_of<T: std::fmt::Debug>(answer: kube::Result<T>) -> Result<u16, Box<dyn Error>> {
    match answer {
        Err(kube::Error::Api(status)) => Ok(status.code),
        other => Err(format!("got {other:?}, want a refusal").into()),
    }
}

fn named(name: &str) -> ObjectMeta {
    ObjectMeta { name: Some(name.into()), ..Default::default() }
}

fn config_map(name: &str, label: &str, value: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta { labels: Some(BTreeMap::from([("for".into(), label.into())])), ..named(name) },
        data: Some(BTreeMap::from([("key".into(), value.into())])),
        ..Default::default()
    }
}

fn maps(client: Client) -> Api<ConfigMap> {
    Api::namespaced(client, NAMESPACE)
}

fn value(map: &ConfigMap) -> Option<&str> {
    map.data.as_ref()?.get("key").map(String::as_str)
}

async fn objects(client: Client) -> Outcome {
    let maps = maps(client);
    let made = maps.create(&PostParams::default(), &config_map("object", "objects", "1")).await?;
    same(code_of(maps.create(&PostParams::default(), &config_map("object", "objects", "1")).await)?, 409)?;
    let mut changed = made.clone();
    changed.data = Some(BTreeMap::from([("key".into(), "2".into())]));
    let replaced = maps.replace("object", &PostParams::default(), &changed).await?;
    same(value(&replaced), Some("2"))?;
    same(code_of(maps.replace("object", &PostParams::default(), &made).await)?, 409)?;
    same(maps.get_metadata("object").await?.name_any(), "object".to_string())?;
    maps.delete("object", &DeleteParams::default()).await?;
    same(maps.get_opt("object").await?.is_none(), true)
}

async fn lists(client: Client) -> Outcome {
    let maps = maps(client);
    for index in 0..5 {
        maps.create(&PostParams::default(), &config_map(&format!("list-{index}"), "lists", "x")).await?;
    }
    let mut params = ListParams::default().labels("for=lists").limit(2);
    let mut names = Vec::new();
    loop {
        let page = maps.list(&params).await?;
        names.extend(page.items.iter().map(ResourceExt::name_any));
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => break,
        }
    }
    same(names, (0..5).map(|index| format!("list-{index}")).collect())?;
    maps.delete_collection(&DeleteParams::default(), &ListParams::default().labels("for=lists")).await?;
    same(maps.list(&ListParams::default().labels("for=lists")).await?.items.len(), 0)
}

async fn patches(client: Client) -> Outcome {
    let maps = maps(client);
    maps.create(&PostParams::default(), &config_map("patched", "patches", "1")).await?;
    let params = PatchParams::default();
    let merged = maps.patch("patched", &params, &Patch::Merge(json!({ "data": { "key": "2" } }))).await?;
    same(value(&merged), Some("2"))?;
    let strategic = maps.patch("patched", &params, &Patch::Strategic(json!({ "data": { "key": "3" } }))).await?;
    same(value(&strategic), Some("3"))
}

async fn apply(client: Client) -> Outcome {
    let maps = maps(client);
    let applied = |text: &str| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "applied" }, "data": { "key": text } });
    let mine = PatchParams::apply("mine");
    let made = maps.patch("applied", &mine, &Patch::Apply(applied("1"))).await?;
    same(made.managed_fields()[0].manager.as_deref(), Some("mine"))?;
    let theirs = PatchParams::apply("theirs");
    same(code_of(maps.patch("applied", &theirs, &Patch::Apply(applied("2"))).await)?, 409)?;
    let forced = maps.patch("applied", &theirs.force(), &Patch::Apply(applied("2"))).await?;
    same(value(&forced), Some("2"))
}

async fn watch(client: Client) -> Outcome {
    let maps = maps(client);
    let version = maps.list(&ListParams::default()).await?.metadata.resource_version.unwrap_or_default();
    let events = maps.watch(&WatchParams::default().labels("for=watch"), &version).await?;
    pin_mut!(events);
    maps.create(&PostParams::default(), &config_map("watched", "watch", "1")).await?;
    maps.delete("watched", &DeleteParams::default()).await?;
    let mut seen = Vec::new();
    while let Some(event) = events.try_next().await? {
        match event {
            WatchEvent::Added(map) => seen.push(format!("added {}", map.name_any())),
            WatchEvent::Deleted(map) => {
                seen.push(format!("deleted {}", map.name_any()));
                break;
            }
            _ => {}
        }
    }
    same(seen, vec!["added watched".to_string(), "deleted watched".to_string()])
}

async fn listing(client: Client, config: watcher::Config) -> Outcome {
    let maps = maps(client);
    let known = config_map("known", "watcher", "1");
    maps.patch("known", &PatchParams::apply("rust").force(), &Patch::Apply(&known)).await?;
    let events = watcher(maps.clone(), config.labels("for=watcher"));
    pin_mut!(events);
    let mut seen = Vec::new();
    while let Some(event) = events.try_next().await? {
        match event {
            watcher::Event::Init => seen.push("init".to_string()),
            watcher::Event::InitApply(map) => seen.push(format!("first {}", map.name_any())),
            watcher::Event::InitDone => {
                seen.push("done".to_string());
                maps.create(&PostParams::default(), &config_map("new", "watcher", "1")).await?;
            }
            watcher::Event::Apply(map) => {
                seen.push(format!("applied {}", map.name_any()));
                maps.delete("new", &DeleteParams::default()).await?;
            }
            watcher::Event::Delete(map) => {
                seen.push(format!("deleted {}", map.name_any()));
                break;
            }
        }
    }
    same(seen, ["init", "first known", "done", "applied new", "deleted new"].map(String::from).to_vec())
}

async fn store(client: Client) -> Outcome {
    let maps = maps(client);
    maps.create(&PostParams::default(), &config_map("cached", "store", "1")).await?;
    let (reader, writer) = reflector::store();
    let changes = reflector(writer, watcher(maps.clone(), watcher::Config::default().labels("for=store"))).applied_objects();
    pin_mut!(changes);
    {
        // The store fills only while the changes are read.
        let ready = reader.wait_until_ready();
        pin_mut!(ready);
        loop {
            match select(ready.as_mut(), changes.next()).await {
                Either::Left((result, _)) => break result?,
                Either::Right((change, _)) => _ = change.ok_or("the watch ended")??,
            }
        }
    }
    same(reader.state().len(), 1)?;
    maps.patch("cached", &PatchParams::default(), &Patch::Merge(json!({ "data": { "key": "2" } }))).await?;
    while let Some(change) = changes.next().await {
        if value(&change?) == Some("2") {
            break;
        }
    }
    same(reader.state().iter().map(|map| value(map).map(String::from)).collect(), vec![Some("2".to_string())])
}

async fn condition(client: Client) -> Outcome {
    let maps = maps(client.clone());
    maps.create(&PostParams::default(), &config_map("waited", "condition", "1")).await?;
    let ready = await_condition(maps.clone(), "waited", |map: Option<&ConfigMap>| map.and_then(value) == Some("ready"));
    let (params, patch) = (PatchParams::default(), Patch::Merge(json!({ "data": { "key": "ready" } })));
    let (waited, changed) = futures::join!(ready, maps.patch("waited", &params, &patch));
    changed?;
    same(waited?.as_ref().and_then(value), Some("ready"))?;
    let pods: Api<Pod> = Api::namespaced(client, NAMESPACE);
    same(pods.list(&ListParams::default()).await?.items.len(), 0)
}

async fn discovery(client: Client) -> Outcome {
    let found = Discovery::new(client.clone()).filter(&["apps", "resource.k8s.io"]).run_aggregated().await?;
    let names: Vec<_> = found.groups_alphabetical().iter().map(|group| group.name().to_string()).collect();
    same(names, vec!["apps".to_string(), "resource.k8s.io".to_string()])?;
    let apps = found.get("apps").ok_or("no apps")?;
    let (resource, capabilities) = apps.recommended_kind("Deployment").ok_or("no Deployment")?;
    same(capabilities.scope == Scope::Namespaced, true)?;
    let dynamic: Api<DynamicObject> = Api::namespaced_with(client.clone(), NAMESPACE, &resource);
    let labels = json!({ "app": "web" });
    let object: DynamicObject = serde_json::from_value(json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" },
        "spec": { "selector": { "matchLabels": labels }, "template": {
            "metadata": { "labels": labels }, "spec": { "containers": [{ "name": "c", "image": "i" }] },
        } },
    }))?;
    dynamic.create(&PostParams::default(), &object).await?;
    let typed: Api<Deployment> = Api::namespaced(client, NAMESPACE);
    same(typed.get("web").await?.spec.and_then(|spec| spec.replicas), Some(1))?;
    same(typed.get_scale("web").await?.spec.and_then(|spec| spec.replicas), Some(1))
}
