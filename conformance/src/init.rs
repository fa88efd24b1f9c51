//! The command `init`: write a declaration of a server, from what can be found out about it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use lance_namespace_suite::declaration::{self, Declaration};
use lance_namespace_suite::scenario::Tier;
use lance_namespace_suite::survey::{Survey, survey};

use crate::connection::Connection;
use crate::{Done, Failure};

/// The schema of declarations, as it is written beside one.
const SCHEMA: &str = "conformance.schema.json";

/// Where to write, and about which server.
#[derive(Args)]
pub(crate) struct InitArgs {
    /// The file to write.
    #[arg(long, value_name = "FILE", default_value = declaration::FILE)]
    output: PathBuf,

    /// Replace the file if it is there.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    connection: Connection,
}

pub(crate) async fn init(args: &InitArgs) -> Done {
    let file = &args.output;
    let name = file.display();
    // Before the server is asked for anything.
    if file.exists() && !args.force {
        return Err(Failure::usage(format!(
            "{name} is there already; replace it with --force, or name another file by --output"
        )));
    }
    let connected = args.connection.connect(None).await?;
    let found = survey(connected.target.clone()).await;
    connected
        .server
        .stop()
        .await
        .map_err(Failure::inconclusive)?;
    let found = found.map_err(Failure::inconclusive)?;
    let text = text(&args.connection, &found);
    // What this writes, this must be able to read.
    Declaration::parse(&name.to_string(), &text).map_err(Failure::inconclusive)?;
    let schema = file.with_file_name(SCHEMA);
    for (path, text) in [(file, text), (&schema, declaration_schema()?)] {
        write(path, &text)?;
    }
    println!("wrote {name}, and {} for editors", schema.display());
    if !found.left.is_empty() {
        eprintln!("these could not be removed: {}", found.left.join(", "));
    }
    Ok(ExitCode::SUCCESS)
}

/// The schema of declarations as JSON.
pub(crate) fn declaration_schema() -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(&Declaration::schema());
    Ok(format!("{}\n", text.map_err(Failure::inconclusive)?))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text)
        .map_err(|error| Failure::usage(format!("{} cannot be written: {error}", path.display())))
}

/// A text as TOML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn list(texts: &[String]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", quoted.join(", "))
}

fn text(connection: &Connection, found: &Survey) -> String {
    let mut text = format!(
        "#:schema ./{SCHEMA}\n\
         # What the conformance suite of the Lance Namespace protocol has to know of this server.\n\
         # Written by `lance-namespace-conformance init`; flags and environment variables win over it.\n\n"
    );
    server(&mut text, connection, found);
    credentials(&mut text, connection);
    names(&mut text, connection, found);
    storage(&mut text, found);
    text.push_str(
        "# A failure that is known: the run then ends with exit code 0, and says so. It ends with 4 as\n\
         # soon as the failure is gone, or its last day is over.\n\
         # [[expect]]\n\
         # scenario = \"put-if-not-exists/second-create-is-refused\"\n\
         # requirement = \"VER-2\"\n\
         # reason = \"the lock is not held long enough\"\n\
         # link = \"https://example.org/issues/1\"\n\
         # until = 2027-12-31\n\
         # fails = \"1 of 5\"\n",
    );
    text
}

fn push(text: &mut String, line: &str) {
    // Writing to a String does not fail.
    let _ = writeln!(text, "{line}");
}

fn server(text: &mut String, connection: &Connection, found: &Survey) {
    push(text, "[server]");
    match connection.server_urls.split_first() {
        Some((first, others)) => {
            push(text, &format!("url = {}", quoted(&without_password(first))));
            if !others.is_empty() {
                push(
                    text,
                    "# Other replicas: what is written at the first is looked for there.",
                );
                push(text, &format!("replicas = {}", list(others)));
            }
        }
        None => push(text, "# url = \"http://127.0.0.1:2333\""),
    }
    push(
        text,
        "# A command that starts a server, so that scenarios can kill servers of their own.",
    );
    match &connection.server_cmd {
        Some(command) => push(text, &format!("command = {}", quoted(command))),
        None => push(text, "# command = \"my-server --port {port} --data {dir}\""),
    }
    push(
        text,
        "# The tiers that the server claims: only these are checked, and what it lacks of them fails.",
    );
    let has = |tier: &Tier| found.tiers.get(tier).is_none_or(Vec::is_empty);
    let claimed: Vec<String> = Tier::ALL
        .iter()
        .filter(|tier| has(tier))
        .map(|tier| tier.name().to_owned())
        .collect();
    push(text, &format!("tiers = {}", list(&claimed)));
    for (tier, lacking) in &found.tiers {
        if !lacking.is_empty() {
            push(text, &format!("# {tier} lacks {}", lacking.join(", ")));
        }
    }
    push(text, "");
}

fn credentials(text: &mut String, connection: &Connection) {
    push(
        text,
        "# Secrets stand in environment variables, and only their names stand here.",
    );
    push(text, "[credentials]");
    for (key, given, variable) in [
        ("api_key", &connection.api_key, "LANCE_NAMESPACE_API_KEY"),
        (
            "bearer_token",
            &connection.bearer_token,
            "LANCE_NAMESPACE_BEARER_TOKEN",
        ),
    ] {
        let comment = if given.is_some() { "" } else { "# " };
        push(
            text,
            &format!("{comment}{key} = {{ env = \"{variable}\" }}"),
        );
    }
    push(
        text,
        "# A credential that the server must refuse, by the header in which a good one is given.",
    );
    push(text, "# bad = { x-api-key = \"nobodys-key\" }\n");
    if !connection.headers.is_empty() {
        push(
            text,
            "# Headers that were given by a flag: name the variables that hold them.",
        );
        push(text, "# [headers]");
        for header in &connection.headers {
            let name = header.split(':').next().unwrap_or_default().trim();
            push(text, &format!("# {name} = {{ env = \"...\" }}"));
        }
        push(text, "");
    }
}

fn names(text: &mut String, connection: &Connection, found: &Survey) {
    push(text, "[names]");
    let delimiter = connection.delimiter.as_deref().unwrap_or(&found.delimiter);
    push(
        text,
        "# An existing namespace to work in; without it, the root.",
    );
    match &connection.namespace {
        Some(parent) => {
            let parts: Vec<String> = parent.split(delimiter).map(str::to_owned).collect();
            push(text, &format!("parent = {}", list(&parts)));
        }
        None => push(text, "# parent = [\"tests\"]"),
    }
    push(text, "# What joins the parts of an identifier.");
    push(text, &format!("delimiter = {}", quoted(delimiter)));
    push(
        text,
        "# How many parts the identifier of a namespace may have.",
    );
    match found.names.max_depth {
        Some(deepest) => push(text, &format!("max_depth = {deepest}")),
        None => {
            let reached = found.reached;
            push(
                text,
                &format!("# max_depth = {reached}  # so deep they were made, and no limit seen"),
            );
        }
    }
    push(
        text,
        "# How many namespaces a table's identifier begins with, if that is always the same.",
    );
    match found.names.table_depth {
        Some(depth) => push(text, &format!("table_depth = {depth}")),
        None => push(text, "# table_depth = 2"),
    }
    push(
        text,
        "# The characters that names are made of, if not all are allowed.",
    );
    match &found.names.characters {
        Some(characters) => push(
            text,
            &format!("characters = {}", quoted(&characters.to_string())),
        ),
        None => push(text, "# characters = \"a-zA-Z0-9_-\""),
    }
    push(text, "");
}

fn storage(text: &mut String, found: &Survey) {
    push(text, "[storage]");
    if let Some(reason) = &found.manifests_out_of_reach {
        push(
            text,
            &format!(
                "# Out of reach from where this was written: {}.",
                reason.replace('\n', " ")
            ),
        );
    }
    push(
        text,
        "# How staging manifests get there: \"returned\" (to the location that the server returns),\n\
         # \"nowhere\" (they are paths without a file) or \"mapped\" (to `root` here, which is `location`\n\
         # for the server, such as a volume of its container).",
    );
    push(text, "manifests = \"returned\"");
    push(
        text,
        "# location = \"file:///data\"\n# root = \"/srv/volume\"\n",
    );
}

fn without_password(url: &str) -> String {
    lance_namespace_suite::target::Target::new(url)
        .map_or_else(|_| url.to_owned(), |t| t.display_url())
}
