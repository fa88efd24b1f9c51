//! Lists the public items in rustdoc's JSON of the client, those of the models apart from the others.
//!
//!     public-api-items RUSTDOC_JSON FOLDER
//!
//! writes `models.txt` and `client.txt` into FOLDER.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;

use public_api::Builder;

const MODELS: &str = "lance_namespace_client::models";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [json, folder] = arguments.as_slice() else {
        return Err(
            "two arguments are needed: the JSON of rustdoc and the folder to write to".into(),
        );
    };
    // Of a derived implementation one line is enough, and of the models, which all derive the same, none.
    let written: BTreeSet<String> = items(json, true)?.into_iter().collect();
    let (models, client): (Vec<String>, Vec<String>) = items(json, false)?
        .into_iter()
        .partition(|item| is_of_models(item));
    let models = models.into_iter().filter(|item| written.contains(item));
    let client = client
        .into_iter()
        .filter(|item| written.contains(item) || item.starts_with("impl"));
    let folder = Path::new(folder);
    write(
        folder,
        "models.txt",
        "the generated models, without what they derive",
        models.collect(),
    )?;
    write(folder, "client.txt", "all but the models", client.collect())
}

/// The items as Rust, those of derived implementations left out or not.
fn items(json: &str, omit_derived: bool) -> Result<Vec<String>, Box<dyn Error>> {
    let api = Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(omit_derived)
        .build()
        .map_err(|error| {
            format!("{json} cannot be read, was another release of Rust used? {error}")
        })?;
    Ok(api.items().map(ToString::to_string).collect())
}

fn write(folder: &Path, name: &str, what: &str, items: Vec<String>) -> Result<(), Box<dyn Error>> {
    if items.is_empty() {
        return Err(format!("no public item belongs into {name}").into());
    }
    let header = format!(
        "# The public API of lance-namespace-client: {what}.\n\
         # Written by `.ci/public_api --write`.\n"
    );
    std::fs::write(folder.join(name), header + &items.join("\n") + "\n")?;
    Ok(())
}

/// Whether the item, written as Rust, is in the module of the models or implements something for one.
fn is_of_models(item: &str) -> bool {
    let subject = match item.split_once(" for ") {
        Some((before, subject)) if before.contains("impl") => subject,
        _ => item,
    };
    let first = subject.find("lance_namespace_client::").unwrap_or(0);
    subject[first..]
        .strip_prefix(MODELS)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}
