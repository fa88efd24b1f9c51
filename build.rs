//! Generates the models, the wire client and one method an operation from openapi.yml.

use std::path::PathBuf;
use std::process::ExitCode;

#[path = "build/mod.rs"]
mod codegen;

fn main() -> ExitCode {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=openapi.yml");
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            for line in fault.to_string().lines() {
                println!("cargo::error={line}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let source = std::fs::read_to_string("openapi.yml")
        .map_err(|error| format!("openapi.yml cannot be read: {error}"))?;
    for (name, code) in codegen::generate(&source)? {
        std::fs::write(out.join(name), code)?;
    }
    Ok(())
}
