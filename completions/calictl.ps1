# PowerShell completion for calictl
Register-ArgumentCompleter -Native -CommandName 'calictl' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @()
    foreach ($element in $commandAst.CommandElements) {
        if ($element.Extent.StartOffset -ge $cursorPosition) { break }
        if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
            $words += $element.Value
        } else {
            $words += $element.Extent.Text
        }
    }
    $program = $words[0]
    $typed = @($words | Select-Object -Skip 1)
    if ($wordToComplete -eq '') { $typed += ' ' }
    $lines = @(& $program __complete @typed 2>$null)
    if ($lines.Count -eq 0) { return }
    foreach ($line in @($lines | Select-Object -Skip 1)) {
        $parts = $line -split "`t", 2
        $about = if ($parts.Count -gt 1 -and $parts[1] -ne '') { $parts[1] } else { $parts[0] }
        [System.Management.Automation.CompletionResult]::new($parts[0], $parts[0], 'ParameterValue', $about)
    }
    if ($lines[0] -eq 'files') {
        $prefix = if ($wordToComplete -match '^--[^=]*=') { $Matches[0] } else { '' }
        $path = $wordToComplete.Substring($prefix.Length)
        $directory = if ($path -match '[/\\]') { $path -replace '[^/\\]*$', '' } else { '' }
        foreach ($file in @(Get-ChildItem -Path "$path*" -ErrorAction SilentlyContinue)) {
            $found = $prefix + $directory + $file.Name
            if ($found -match '[^\w./\\:=~-]') { $found = "'" + $found.Replace("'", "''") + "'" }
            [System.Management.Automation.CompletionResult]::new($found, $file.Name, 'ProviderItem', $file.FullName)
        }
    }
}
