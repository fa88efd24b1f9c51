//! Gathers the golden transcripts, `snapshots/FAMILY/NAME.snap`, into one table.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=snapshots");
    println!("cargo:rerun-if-changed=build.rs");
    let root =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("snapshots");
    let mut table = String::from("&[\n");
    for family in sorted(&root)? {
        println!("cargo:rerun-if-changed={}", family.display());
        for file in sorted(&family)? {
            if file
                .extension()
                .is_some_and(|extension| extension == "snap")
            {
                let id = format!("{}/{}", stem(&family), stem(&file));
                // Only writing to memory, which does not fail.
                let _ = writeln!(table, "    ({id:?}, include_str!({:?})),", file.display());
            }
        }
    }
    table.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("golden.rs");
    fs::write(out, table)
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default()
}
